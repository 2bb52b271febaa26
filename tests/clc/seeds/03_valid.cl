// options: -cl-std=CL2.0
// A pointer to `private` memory converts implicitly to generic.
kernel void k(global int *g) { private int v = 2; int *p = &v; *p += 1; g[0] = v; }
