// options: -cl-std=CL1.2
// writes to constant objects rejected
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ kc[0]=1; } // error: cannot write to the constant address space
