// options: -cl-std=CL2.0
// `__local` is reserved: not usable as an identifier.
kernel void k(global int *g) { int __local = 1; g[0] = 2; } // error: '__local' is a reserved word and cannot be declared
