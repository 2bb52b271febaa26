// options: -cl-std=CL2.0
// Passing a constant object to a store built-in is a compile-time error.
kernel void k(constant int *c) { vstore2((int2)(1), 0, c); } // error: no built-in function 'vstore2' takes (int2, int, constant int *)
