// options: -cl-std=CL2.0
// Casting between distinct named spaces (global to constant) is illegal.
kernel void k(global int *g) { global int *p = 0; constant int *q = (constant int *)p; g[0] = q == 0; } // error: cannot cast 'global int *' to 'constant int *': the address spaces do not convert
