// options: -cl-std=CL1.2
// any float rank exceeds any int
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 v=1.0f; int i=3; v=v+i; f[0]=v.x; }
