// options: -cl-std=CL1.2
// ^^ is reserved
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=1^1; }
