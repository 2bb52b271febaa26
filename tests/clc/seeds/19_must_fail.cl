// options: -cl-std=CL1.2
// OpenCL C before 2.0 has no generic space: an unqualified pointer is private.
kernel void k(global int *g) { int *p = g; *p = 1; } // error: cannot initialize 'int *' from 'global int *': the address spaces do not convert
