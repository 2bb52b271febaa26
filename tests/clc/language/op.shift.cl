// options: -cl-std=CL1.2
// shift count masked by log2 width; scalar LHS needs scalar RHS
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 a=1; g[0]=(a<<(int4)(33)).x + (a<<2).y + (1<<33); }
