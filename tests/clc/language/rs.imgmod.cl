// options: -cl-std=CL1.2
// two images side by side
kernel void k(read_only image2d_t a, read_only image2d_t b){}
