// options: -cl-std=CL2.0
// A program-scope constant must be initialized.
constant int a; // error: a variable in the constant address space must be initialized
kernel void k(global int *g) { g[0] = a; }
