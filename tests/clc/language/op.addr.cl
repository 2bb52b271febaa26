// options: -cl-std=CL1.2
// & and * as C99
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int x=1; int *p=&x; g[0]=*p+p[0]; }
