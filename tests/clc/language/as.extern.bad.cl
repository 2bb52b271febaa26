// options: -cl-std=CL1.2
// extern for functions and program-scope variables
extern local int e; kernel void k(void){} // error: an 'extern' variable must be in the global or constant address space
