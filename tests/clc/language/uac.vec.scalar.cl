// options: -cl-std=CL1.2
// scalar of lower or equal rank widens to vector type
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=1; v=v+(short)2; float4 w=1.0f; w=w*2; f[0]=w.x+v.x; }
