// options: -cl-std=CL2.0
// `private int f()` is an error.
private int f(void) { return 1; } // error: an address space on a returned value; it may only be on what a pointer points at
kernel void k(void) { }
