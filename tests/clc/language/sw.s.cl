// options: -cl-std=CL1.2
// s0..sF with upper or lower case
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int16 v=1; g[0]=v.sA+v.Sf+v.s9; }
