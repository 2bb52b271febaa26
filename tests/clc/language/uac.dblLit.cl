// options: -cl-std=CL1.2
// unsuffixed literal with float vector under fp64 has higher rank
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 v=1.0f; v=v*2.0f; f[0]=v.x; }
