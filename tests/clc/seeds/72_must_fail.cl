// options: -cl-std=CL2.0
// Kernel pointer arguments must name global, local or constant.
kernel void k(int *p) { } // error: a pointer parameter of a kernel must point to global, local or constant
