// options: -cl-std=CL1.2
// bool scalar; conversion gives 0/1
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ bool b = 3; g[0] = b; }
