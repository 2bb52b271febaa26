// options: -cl-std=CL2.0
// `local` is reserved: not usable as an identifier.
kernel void k(global int *g) { int local = 1; g[0] = 2; } // error: 'local' is a reserved word and cannot be declared
