// options: -cl-std=CL1.2
// atomic_xchg on float only
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ f[0]=atomic_xchg(f,1.0f); }
