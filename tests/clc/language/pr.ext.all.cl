// options: -cl-std=CL1.2
// all : disable legal, all : enable is an error
#pragma OPENCL EXTENSION all : disable
kernel void k(void){}
