// options: -cl-std=CL1.2
// local variables cannot be initialized
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ local int x; x=1; g[0]=x; }
