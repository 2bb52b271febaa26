// options: -cl-std=CL1.2
// vector sizes 2 3 4 8 16
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int5 a; g[0]=1; } // error: reserved and unsupported type 'int5'; did you mean 'int'?
