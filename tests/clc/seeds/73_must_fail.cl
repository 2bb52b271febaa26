// options: -cl-std=CL2.0
// Kernel array arguments follow the pointer rule.
kernel void k(int p[4]) { } // error: a pointer parameter of a kernel must point to global, local or constant
