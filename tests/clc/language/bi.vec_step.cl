// options: -cl-std=CL1.2
// vec_step takes type or expression, unevaluated
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=vec_step(float3)+vec_step(g[0]++); }
