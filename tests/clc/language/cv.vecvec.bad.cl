// options: -cl-std=CL1.2
// no implicit conversion between vector types
kernel void k(global float4*g, global int4*h){
    g[0]=h[0]; // error: cannot assign 'int4' to 'float4'
    g[0]=(float4)h[0]; // error: cannot cast 'int4' to 'float4'
    g[0]=g[0]+h[0]; // error: invalid operands to '+': 'float4' and 'int4': vectors of different types do not convert to each other
}
