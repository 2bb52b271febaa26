// options: -cl-std=CL1.2
// write through swizzle without repeats, any order
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; v.wx=(int2)(7,8); g[0]=v.w; }
