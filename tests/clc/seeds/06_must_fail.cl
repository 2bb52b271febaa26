// options: -cl-std=CL2.0
// Generic to `global` never happens without a cast.
kernel void k(global int *g) { int *p = g; global int *q; q = p; *q = 1; } // error: cannot assign 'int *' to 'global int *': the address spaces do not convert
