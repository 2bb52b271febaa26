// options: -cl-std=CL1.2
// right shift of negative signed is arithmetic
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=(-8)>>1; }
