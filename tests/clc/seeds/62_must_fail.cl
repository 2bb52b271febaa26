// options: -cl-std=CL2.0
// Writing through a constant pointer is a compile-time error.
kernel void k(constant int *c) { c[0] = 1; } // error: cannot write to the constant address space
