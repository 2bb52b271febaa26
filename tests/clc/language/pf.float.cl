// options: -cl-std=CL1.2
// float promotes to double only if fp64
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%f",f[0]); }
