// options: -cl-std=CL1.2
// facts: nofp16
// half allows only sizeof without fp16
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=sizeof(half); }
