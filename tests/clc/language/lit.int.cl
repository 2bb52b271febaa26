// options: -cl-std=CL1.2
// decimal octal hex, U L UL suffixes
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=1+017+0xFu+(int)2UL; }
