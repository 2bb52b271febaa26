// options: -cl-std=CL2.0
// unroll factor constant
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int x=g[0]; __attribute__((opencl_unroll_hint(x))) for(int i=0;i<x;i++) g[i]=i; } // error: this must be a constant
