// options: -cl-std=CL1.2
// access qualifier only on image and pipe
kernel void k(read_only image2d_t im){}
