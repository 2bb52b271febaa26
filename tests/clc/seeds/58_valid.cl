// options: -cl-std=CL2.0
// A constant may be declared in the outermost scope of a kernel with a compile-time initializer.
kernel void k(global int *g) { constant int t[2] = { 1, 2 }; g[0] = t[1]; }
