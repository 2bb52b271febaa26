// options: -cl-std=CL1.2
// __ENDIAN_LITTLE__ 1 on little endian, else undefined
#ifndef __ENDIAN_LITTLE__
#error
#endif
kernel void k(void){}
