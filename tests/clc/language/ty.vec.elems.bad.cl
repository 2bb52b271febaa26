// options: -cl-std=CL1.2
// vectors over char uchar short ushort int uint long ulong float double
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ bool2 b; g[0]=1; } // error: reserved and unsupported type 'bool2'; did you mean 'bool'?
