// options: -cl-std=CL1.2
// long long is reserved: said, and taken as long
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ long long x=1; g[0]=(int)x; } // warning: 'long long' is reserved
