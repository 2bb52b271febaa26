// options: -cl-std=CL1.2
// pointer casts are unchecked alignment assertions
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ global float *p=(global float*)g; f[0]=p[0]; }
