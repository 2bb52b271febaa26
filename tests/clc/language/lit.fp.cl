// options: -cl-std=CL1.2
// decimal and hex floats, f suffix; unsuffixed is double
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ f[0]=1.5f+0x1.8p1f+1e-3f; }
