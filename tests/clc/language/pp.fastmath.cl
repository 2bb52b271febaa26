// options: -cl-std=CL1.2
// __FAST_RELAXED_MATH__ with -cl-fast-relaxed-math
#ifdef __FAST_RELAXED_MATH__
#error only with option
#endif
kernel void k(void){}
