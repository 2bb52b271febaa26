// options: -cl-std=CL1.2
// program-scope variables constant only before 2.0
constant int t=1; kernel void k(void){}
