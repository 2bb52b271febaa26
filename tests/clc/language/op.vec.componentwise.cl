// options: -cl-std=CL1.2
// vector operators are component-wise incl. scalar*vector
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 v=1.0f,u=2.0f; v=u*2.0f+v; f[0]=v.x; }
