// options: -cl-std=CL2.0
// `constant` and `__constant` name the same space.
__constant int a = 1;
kernel void k(constant int *p, __constant int *q, global int *g) { p = q; g[0] = a + p[0]; }
