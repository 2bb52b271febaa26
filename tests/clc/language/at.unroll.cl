// options: -cl-std=CL2.0
// opencl_unroll_hint[(n)] before a loop
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ __attribute__((opencl_unroll_hint(2))) for(int i=0;i<8;i++) g[i]=i; }
