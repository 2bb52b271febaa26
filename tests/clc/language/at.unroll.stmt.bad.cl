// options: -cl-std=CL2.0
// unroll hint only on loops
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ __attribute__((opencl_unroll_hint)) if(g[0]) g[0]=1; } // error: an unroll hint must stand before a loop
