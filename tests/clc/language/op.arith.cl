// options: -cl-std=CL1.2
// + - * / on int and fp scalars and vectors
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 a=2.0f,b=3.0f; f[0]=((a+b)*a/b-a).x; }
