// options: -cl-std=CL1.2
// integer literal typing follows C99 with 64-bit long; no long long
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ long x=0x123456789L; g[0]=(int)x; }
