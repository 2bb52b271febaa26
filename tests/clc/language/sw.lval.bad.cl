// options: -cl-std=CL1.2
// write through swizzle without repeats, any order
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; v.xx=(int2)(1,2); g[0]=v.x; } // error: a component occurs twice in what is assigned to
