// options: -cl-std=CL2.0
// `__global` is reserved: not usable as an identifier.
kernel void k(global int *g) { int __global = 1; g[0] = 2; } // error: '__global' is a reserved word and cannot be declared
