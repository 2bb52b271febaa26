// options: -cl-std=CL1.2
// vector is an aggregate of its element for aliasing
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=(int4)(1,2,3,4); int *p=(int*)&v; g[0]=p[2]; }
