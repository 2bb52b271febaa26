// options: -cl-std=CL1.2
// explicit casts between vector types illegal
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 v=1.0f; int4 i=(int4)v; g[0]=i.x; } // error: cannot cast 'float4' to 'int4'; use convert_ or as_
