// options: -cl-std=CL2.0
// A static local object cannot be private or local.
kernel void k(void) { static private int n; } // error: a 'static' variable must be in the global or constant address space
