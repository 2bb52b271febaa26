// options: -cl-std=CL1.2
// & and * as C99
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=*&5; } // error: the address of a value cannot be taken
