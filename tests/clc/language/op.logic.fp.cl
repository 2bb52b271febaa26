// options: -cl-std=CL1.2
// logical ops on float scalars and vectors
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 a=1.0f; int4 m=!a; g[0]=m.x+(f[0]&&1.0f); }
