// options: -cl-std=CL1.2
// scalars follow C99 promotions
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uchar a=200; g[0]=a+a; }
