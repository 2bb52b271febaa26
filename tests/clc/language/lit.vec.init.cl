// options: -cl-std=CL1.2
// brace initializer for vector
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v={1,2,3,4}; g[0]=v.y; }
