// options: -cl-std=CL2.0
// `local int * private f()` is an error.
local int * private f(local int *p) { return p; } // error: an address space on a returned value; it may only be on what a pointer points at
kernel void k(void) { }
