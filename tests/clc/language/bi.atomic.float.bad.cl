// options: -cl-std=CL1.2
// atomic_xchg on float only
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ atomic_add(f,1.0f); } // error: no built-in function 'atomic_add' takes (global float *, float)
