// options: -cl-std=CL1.2
// a vector and a scalar
kernel void k(global int4*g, short s){ g[0]=g[1]*s+1; }
