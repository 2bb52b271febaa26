// options: -cl-std=CL2.0
// A `constant` pointer cannot be cast to generic.
kernel void k(constant int *c, global int *g) { int *p = (int *)c; g[0] = *p; } // error: cannot cast 'constant int *' to 'int *': the address spaces do not convert
