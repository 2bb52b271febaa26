// options: -cl-std=CL1.2
// vector literal as primary expression and arg
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=((int4)(1,2,3,4)).z + ((int2)(5)).x; }
