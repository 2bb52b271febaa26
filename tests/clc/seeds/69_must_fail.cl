// options: -cl-std=CL2.0
// A program-scope object cannot be local.
local int n; // error: a program-scope variable must be in the global or constant space
kernel void k(void) { }
