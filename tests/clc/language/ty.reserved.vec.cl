// options: -cl-std=CL1.2
// vector names with other n are reserved
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 a=0; f[0]=a.x; }
