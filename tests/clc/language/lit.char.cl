// options: -cl-std=CL1.2
// character constants are int
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]='a'+'\n'; }
