// options: -cl-std=CL1.2
// vector names with other n are reserved
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float5 a; f[0]=1; } // error: reserved and unsupported type 'float5'; did you mean 'float'?
