// options: -cl-std=CL1.2
// Program-scope variables: 1.x requires constant.
int a = 1; // error: a program-scope variable must be 'constant' before OpenCL C 2.0
kernel void k(void) { }
