// options: -cl-std=CL2.0
// Local pointer arithmetic and indexing through generic.
kernel void k(local int *l, global int *g) { int *p = l + 1; p[1] = 4; g[0] = p - (int *)l; }
