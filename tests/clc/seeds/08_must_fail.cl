// options: -cl-std=CL2.0
// Generic to `private` never happens without a cast.
kernel void k(global int *g) { int *p = g; private int *q; q = p; *q = 1; } // error: cannot assign 'int *' to 'private int *': the address spaces do not convert
