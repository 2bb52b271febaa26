// options: -cl-std=CL1.2
// cast to the same vector type is fine
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=1; int4 w=(int4)v; g[0]=w.x; }
