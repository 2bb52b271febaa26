// options: -cl-std=CL2.0
// A constant in an inner scope of a kernel is an error.
kernel void k(global int *g) { if (g[0]) { constant int a = 1; g[1] = a; } } // error: a 'constant' variable must be in the outermost scope of its kernel
