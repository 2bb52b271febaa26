// options: -cl-std=CL2.0
// `private` is reserved: not usable as an identifier.
kernel void k(global int *g) { int private = 1; g[0] = 2; } // error: 'private' is a reserved word and cannot be declared
