// options: -cl-std=CL2.0
// Generic to `local` never happens without a cast.
kernel void k(global int *g) { int *p = g; local int *q; q = p; *q = 1; } // error: cannot assign 'int *' to 'local int *': the address spaces do not convert
