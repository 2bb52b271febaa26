// options: -cl-std=CL2.0
// `__private` is reserved: not usable as an identifier.
kernel void k(global int *g) { int __private = 1; g[0] = 2; } // error: '__private' is a reserved word and cannot be declared
