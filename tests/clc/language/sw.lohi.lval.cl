// options: -cl-std=CL1.2
// halves are assignable
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; v.hi=(int2)(5,6); v.even=(int2)(1,2); g[0]=v.z; }
