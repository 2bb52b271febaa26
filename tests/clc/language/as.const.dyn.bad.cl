// options: -cl-std=CL1.2
// constant initializer must be compile time
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int x=g[0]; constant int c1=x; g[0]=c1; } // error: the initial value must be a constant
