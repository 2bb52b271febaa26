// options: -cl-std=CL1.2
// printf format must be a constant-space literal
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%d\n",1); }
