// options: -cl-std=CL2.0
// Incrementing a constant object is a compile-time error.
kernel void k(constant int *c) { c[0]++; } // error: cannot write to the constant address space
