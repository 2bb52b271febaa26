// options: -cl-std=CL1.1
// blocks rejected before 2.0, even as a type that nobody uses
typedef int (^unary)(int); // error: blocks need OpenCL C 2.0
kernel void k(global int *g){ g[0]=1; }
