// options: -cl-std=CL2.0
// Casting between distinct named spaces (constant to private) is illegal.
kernel void k(global int *g) { constant int *p = 0; private int *q = (private int *)p; g[0] = q == 0; } // error: cannot cast 'constant int *' to 'private int *': the address spaces do not convert
