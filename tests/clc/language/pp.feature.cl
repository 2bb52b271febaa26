// options: -cl-std=CL2.0
// __opencl_c_* feature macros only from C 3.0
#if defined(__opencl_c_int64) && __opencl_c_int64 != 1
#error
#endif
kernel void k(void){}
