// options: -cl-std=CL2.0
// generic/__generic reserved; not identifiers
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int *p; }
