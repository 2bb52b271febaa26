// options: -cl-std=CL1.2
// event_t not program scope, not struct member, no global/local/constant
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ event_t e=(event_t)0; g[0]=1; }
