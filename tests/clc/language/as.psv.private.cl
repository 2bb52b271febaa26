// options: -cl-std=CL2.0
// program-scope variable cannot be private
global int t; kernel void k(void){}
