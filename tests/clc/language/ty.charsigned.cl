// options: -cl-std=CL1.2
// plain char is signed
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ char c=(char)0xFF; g[0] = c < 0; }
