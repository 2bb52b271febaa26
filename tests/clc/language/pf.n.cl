// options: -cl-std=CL1.2
// %n reserved
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("x\n"); }
