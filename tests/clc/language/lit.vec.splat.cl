// options: -cl-std=CL1.2
// single scalar splats
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uint4 u=(uint4)(1); g[0]=u.w; }
