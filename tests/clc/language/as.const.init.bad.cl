// options: -cl-std=CL1.2
// constant variables need constant initializers
constant int c1; kernel void k(global int*g){ g[0]=c1; } // error: a variable in the constant address space must be initialized
