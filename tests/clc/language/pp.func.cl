// options: -cl-std=CL1.2
// __func__ from 1.2
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ constant char*q=__func__; g[0]=q[0]; }
