// options: -cl-std=CL2.0
// Casting between distinct named spaces (constant to global) is illegal.
kernel void k(global int *g) { constant int *p = 0; global int *q = (global int *)p; g[0] = q == 0; } // error: cannot cast 'constant int *' to 'global int *': the address spaces do not convert
