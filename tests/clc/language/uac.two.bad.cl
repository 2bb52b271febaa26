// options: -cl-std=CL1.2
// two different vector types: error
kernel void k(global int4*g, global uint4*u, global int2*h){
    g[0]=g[1]+u[0]; // error: invalid operands to '+': 'int4' and 'uint4': vectors of different types do not convert to each other
    g[0]=g[1]+h[0]; // error: invalid operands to '+': 'int4' and 'int2': the vectors have different numbers of components
}
