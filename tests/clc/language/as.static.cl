// options: -cl-std=CL2.0
// static in function: global or constant storage
kernel void k(global int*g){ static int n=5; g[0]=n; }
