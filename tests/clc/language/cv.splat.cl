// options: -cl-std=CL1.2
// implicit scalar to vector widening
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 v=1.0f; v=2; f[0]=v.w; }
