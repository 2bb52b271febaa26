// options: -cl-std=CL2.0
// `global` is reserved: not usable as an identifier.
kernel void k(global int *g) { int global = 1; g[0] = 2; } // error: 'global' is a reserved word and cannot be declared
