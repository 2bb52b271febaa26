// options: -cl-std=CL2.0
// A pointer to `global` memory converts implicitly to an unqualified (generic) pointer.
kernel void k(global int *g) { int *p = g; *p = 1; }
