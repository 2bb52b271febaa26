// options: -cl-std=CL1.2
// vectors are not subscriptable in older specs (clang extension allows)
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; g[0]=v.s2; }
