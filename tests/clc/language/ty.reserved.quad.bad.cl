// options: -cl-std=CL1.2
// reserved names boolN quad complex imaginary floatNxM long double
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ long double d; g[0]=1; } // error: 'long double' is reserved and not supported
