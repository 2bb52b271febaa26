// options: -cl-std=CL1.2
// ?: is not an lvalue
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int a=1,b=2; g[0]=(g[1]?a:b); }
