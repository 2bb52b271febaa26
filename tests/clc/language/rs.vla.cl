// options: -cl-std=CL1.2
// variable length arrays unsupported
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int a[4]; a[0]=1; g[0]=a[0]; }
