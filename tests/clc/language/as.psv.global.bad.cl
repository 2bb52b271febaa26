// options: -cl-std=CL2.0
// program-scope global variables, zero-initialized
local int t; kernel void k(void){} // error: a program-scope variable must be in the global or constant space
