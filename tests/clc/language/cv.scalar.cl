// options: -cl-std=CL1.2
// implicit scalar conversions convert value
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float x=5; int y=2.9f; f[0]=x; g[0]=y; }
