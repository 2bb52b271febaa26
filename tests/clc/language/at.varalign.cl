// options: -cl-std=CL1.2
// aligned on variables
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int x __attribute__((aligned(16)))=1; g[0]=x; }
