// options: -cl-std=CL1.2
// convert_T{n}{_sat}{_rt} family
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 v=convert_float4_sat((int4)(1)); f[0]=v.x; } // error: use of undeclared identifier 'convert_float4_sat'
