// options: -cl-std=CL2.0
// `constant` is reserved: not usable as an identifier.
kernel void k(global int *g) { int constant = 1; g[0] = 2; } // error: 'constant' is a reserved word and cannot be declared
