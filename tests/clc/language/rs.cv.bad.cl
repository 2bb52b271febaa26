// options: -cl-std=CL1.2
// const and volatile as C99
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ const int a=1; a=2; } // error: cannot write to something 'const'
