// options: -cl-std=CL2.0
// One generic pointer variable may be pointed in turn at global, local and private objects.
global int gv;
kernel void k(global int *o) { local int lv; private int pv = 3; int *p; p = &gv; *p = 1; p = &lv; *p = 2; p = &pv; o[0] = *p; }
