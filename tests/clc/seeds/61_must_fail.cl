// options: -cl-std=CL2.0
// Writing a constant variable is a compile-time error.
constant int a = 1;
kernel void k(void) { a = 2; } // error: cannot write to the constant address space
