// options: -cl-std=CL1.2
// no integer promotion on vector elements
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uchar4 a=200; uchar4 b=a+a; g[0]=b.x; }
