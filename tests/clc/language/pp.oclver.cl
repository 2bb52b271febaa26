// options: -cl-std=CL1.2
// __OPENCL_VERSION__ device version (100..200)
#if __OPENCL_VERSION__ < 100
#error
#endif
kernel void k(void){}
