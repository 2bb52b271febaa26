// options: -cl-std=CL1.2
// __IMAGE_SUPPORT__ 1 when images supported
#ifdef __IMAGE_SUPPORT__
#endif
kernel void k(void){}
