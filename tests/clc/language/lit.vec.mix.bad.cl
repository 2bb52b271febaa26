// options: -cl-std=CL1.2
// element types must be the same
kernel void k(global float4*g){ int2 v=(int2)(1,2);
    g[0]=(float4)(v,3,4); // error: 'int2' cannot be part of a 'float4'
}
