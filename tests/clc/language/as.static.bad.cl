// options: -cl-std=CL2.0
// static in function: global or constant storage
kernel void k(global int*g){ static local int n; g[0]=n; } // error: a 'static' variable must be in the global or constant address space
