// options: -cl-std=CL1.2
// STDC pragmas replaced by OPENCL form
#pragma OPENCL FP_CONTRACT ON
kernel void k(void){}
