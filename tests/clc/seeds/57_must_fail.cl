// options: -cl-std=CL2.0
// A program-scope constant must be initialised.
constant int a; // error: a variable in the constant address space must be initialised
kernel void k(global int *g) { g[0] = a; }
