// options: -cl-std=CL1.2
// sizeof vector is n*elem, 3 counts as 4
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ void h(void); g[0]=sizeof(h); } // error: a function has no size
