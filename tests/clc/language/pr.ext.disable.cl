// options: -cl-std=CL1.2
// disabling an unsupported extension only warns
#pragma OPENCL EXTENSION cl_khr_nonexistent : disable
kernel void k(void){}
