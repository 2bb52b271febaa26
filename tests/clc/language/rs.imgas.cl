// options: -cl-std=CL1.2
// no address space on images
kernel void k(write_only image2d_t im){}
