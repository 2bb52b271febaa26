// options: -cl-std=CL2.0
// `__generic` is reserved: not usable as an identifier.
kernel void k(global int *g) { int __generic = 1; g[0] = 2; } // error: '__generic' is a reserved word and cannot be declared
