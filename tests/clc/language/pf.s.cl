// options: -cl-std=CL1.2
// %s only for literal strings
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%s\n","lit"); }
