// options: -cl-std=CL1.2
// reserved names boolN quad complex imaginary floatNxM long double
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int notquad=1; g[0]=notquad; }
