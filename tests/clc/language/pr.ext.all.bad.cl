// options: -cl-std=CL1.2
// all : disable legal, all : enable is an error
#pragma OPENCL EXTENSION all : enable // error: extension 'all' can only be disabled
kernel void k(void){}
