// options: -cl-std=CL2.0
// A pointer to `local` memory converts implicitly to generic.
kernel void k(local int *l) { int *p = l; *p = 1; }
