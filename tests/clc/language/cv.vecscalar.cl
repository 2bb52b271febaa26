// options: -cl-std=CL1.2
// no implicit vector to scalar
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 a=1; g[0]=a.x; }
