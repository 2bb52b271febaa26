// options: -cl-std=CL1.2
// float to int truncates; out of range implementation-defined
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=(int)1.9f + convert_int(1.9f); }
