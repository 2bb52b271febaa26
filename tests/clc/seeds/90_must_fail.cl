// options: -cl-std=CL2.0
// `__constant` is reserved: not usable as an identifier.
kernel void k(global int *g) { int __constant = 1; g[0] = 2; } // error: '__constant' is a reserved word and cannot be declared
