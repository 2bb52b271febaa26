// options: -cl-std=CL1.2
// CL_VERSION_1_0 1_1 1_2 2_0 integers
#if CL_VERSION_1_0 != 100 || CL_VERSION_1_1 != 110 || CL_VERSION_1_2 != 120
#error
#endif
kernel void k(void){}
