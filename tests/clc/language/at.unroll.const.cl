// options: -cl-std=CL2.0
// unroll factor constant
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ __attribute__((opencl_unroll_hint(1))) do{ g[0]--; }while(g[0]); }
