// options: -cl-std=CL1.2
// no %n
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int n; printf("%n",&n); } // warning: n
