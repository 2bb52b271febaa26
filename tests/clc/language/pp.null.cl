// options: -cl-std=CL2.0
// NULL macro
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ global int*p=NULL; g[0]=p==NULL; }
