// options: -cl-std=CL2.0
// Pointers to constant are allowed as kernel arguments, helper arguments and local variables.
int h(constant int *p) { constant int *q = p + 1; return *q; }
kernel void k(constant int *c, global int *g) { g[0] = h(c); }
