// options: -cl-std=CL1.2
// scalar operand widens to the vector operand
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 c=-1; float4 v=1.0f; float4 r=c?v:2.0f; f[0]=r.x; }
