// options: -cl-std=CL1.2
// float is IEEE binary32
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float x=1.0f; f[0]=x; }
