// options: -cl-std=CL1.2
// constant initializer must be compile time
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ constant int c1=4*2; g[0]=c1; }
