// options: -cl-std=CL1.2
// (T)(list) element count must match
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 v=(float4)(1.0f,2.0f,3.0f,4.0f); f[0]=v.w; }
