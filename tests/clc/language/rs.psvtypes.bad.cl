// options: -cl-std=CL1.2
// program-scope variables of other built-in types rejected
global image2d_t t; kernel void k(void){} // error: a program-scope variable must be 'constant' before OpenCL C 2.0 // error: an image can only be a parameter of a function
