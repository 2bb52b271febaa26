// options: -cl-std=CL1.2
// too many elements rejected
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int2 v=(int2)(1,2); g[0]=v.x; }
