// options: -cl-std=CL1.2
// C99 library headers not available
kernel void k(void){}
