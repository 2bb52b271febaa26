// options: -cl-std=CL1.2
// vector output separated by a comma without spaces
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%v2hld\n",(int2)(1,2)); }
