// options: -cl-std=CL1.2
// variable length arrays unsupported
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int n=g[0]; int a[n]; a[0]=1; } // error: variable length arrays are not supported: the size must be constant
