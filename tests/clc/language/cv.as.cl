// options: -cl-std=CL1.2
// as_typen same size bit reinterpretation
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=as_int(1.0f); f[0]=as_float4((int4)(1)).x; }
