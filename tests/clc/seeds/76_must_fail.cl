// options: -cl-std=CL2.0
// Casting between distinct named spaces (global to local) is illegal.
kernel void k(global int *g) { global int *p = 0; local int *q = (local int *)p; g[0] = q == 0; } // error: cannot cast 'global int *' to 'local int *': the address spaces do not convert
