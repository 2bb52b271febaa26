// options: -cl-std=CL1.2
// mask element size must equal element size
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 a=1.0f; float8 r=shuffle(a,(uint8)(0)); f[0]=r.s7; }
