// options: -cl-std=CL2.0
// opencl_unroll_hint[(n)] before a loop
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ __attribute__((opencl_unroll_hint(-1))) while(g[0]) g[0]--; } // error: the unroll factor must be positive
