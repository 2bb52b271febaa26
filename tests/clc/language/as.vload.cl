// options: -cl-std=CL1.2
// vload/vstore overload on every space
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int2 v=vload2(0,g)+vload2(0,l)+vload2(0,kc); vstore2(v,0,g); }
