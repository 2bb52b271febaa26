// options: -cl-std=CL1.2
// nothing fits: neither scalar nor vector forms
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ f[0]=pow((float4)(1.0f),(int4)(2)).x; } // error: no built-in function 'pow'
