// options: -cl-std=CL2.0
// A kernel-scope constant with a run-time initializer is an error.
kernel void k(global int *g) { int x = g[0]; constant int a = x; g[1] = a; } // error: the initial value must be a constant
