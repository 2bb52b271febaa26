// options: -cl-std=CL1.2
// one macro per supported extension name
#ifdef cl_khr_fp64
#endif
kernel void k(void){}
