// options: -cl-std=CL1.2
// __FILE__ __LINE__
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=__LINE__; constant char*q=__FILE__; }
