// options: -cl-std=CL1.2
// cast scalar to vector converts then splats (rtz to int)
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float x=2.9f; int2 v=(int2)x; g[0]=v.y; }
