// options: -cl-std=CL1.2
// program-scope variables constant only before 2.0
int t=1; kernel void k(void){} // error: a program-scope variable must be 'constant' before OpenCL C 2.0
