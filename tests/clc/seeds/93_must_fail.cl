// options: -cl-std=CL2.0
// `generic` is reserved: not usable as an identifier.
kernel void k(global int *g) { int generic = 1; g[0] = 2; } // error: 'generic' is a reserved word and cannot be declared
