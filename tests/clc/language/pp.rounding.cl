// options: -cl-std=CL1.2
// __ROUNDING_MODE__ (deprecated 1.1) is rte
#ifdef __ROUNDING_MODE__
#endif
kernel void k(void){}
