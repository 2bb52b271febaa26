// options: -cl-std=CL1.2
// selector length must be 1 2 3 4 8 16
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; int8 w=v.xyzwxyzw; g[0]=w.s7; }
