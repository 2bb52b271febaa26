// options: -cl-std=CL2.0
// __OPENCL_C_VERSION__ from -cl-std
#if __OPENCL_C_VERSION__ != 200
#error
#endif
kernel void k(void){}
