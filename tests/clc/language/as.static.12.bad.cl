// options: -cl-std=CL1.2
// 1.2: static only on program-scope constants and non-kernel functions
kernel void k(global int*g){ static int n=5; g[0]=n; } // error: 'static' variables inside functions need OpenCL C 2.0
