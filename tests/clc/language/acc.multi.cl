// options: -cl-std=CL1.2
// one access qualifier per argument
kernel void k(write_only image3d_t im){}
