// options: -cl-std=CL1.2
// #pragma OPENCL EXTENSION name : enable|disable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION all : disable
kernel void k(void){}
