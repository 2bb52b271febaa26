// options: -cl-std=CL1.2
// address space names are reserved words
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int local = 1; g[0]=1; } // error: 'local' is a reserved word and cannot be declared
