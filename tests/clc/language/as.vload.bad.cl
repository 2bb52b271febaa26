// options: -cl-std=CL1.2
// vload/vstore overload on every space
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ vstore2((int2)(1),0,kc); } // error: no built-in function 'vstore2' takes (int2, int, constant int *)
