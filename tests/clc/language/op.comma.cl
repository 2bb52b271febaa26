// options: -cl-std=CL1.2
// comma yields right operand
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=(g[1]=2,3); }
