// options: -cl-std=CL1.2
// event_t not a struct or union member
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ event_t e[2]; g[0]=1; }
