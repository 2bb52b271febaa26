// options: -cl-std=CL2.0
// unroll hint only on loops
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ __attribute__((opencl_unroll_hint)) while(g[0]) g[0]--; }
