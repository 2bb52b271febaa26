// options: -cl-std=CL1.2
// ++ -- on integer scalars and vectors only
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=1; v++; --v; g[0]=v.x; }
