// options: -cl-std=CL1.2
// == != ; NaN compares unequal
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float x=NAN; g[0]=(x==x)+(x!=x); }
