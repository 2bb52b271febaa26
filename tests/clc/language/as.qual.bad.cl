// options: -cl-std=CL1.2
// global local constant private with or without __
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int global2; private local int x; g[0]=1; } // error: more than one address space
