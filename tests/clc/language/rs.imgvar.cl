// options: -cl-std=CL1.2
// no image variables, members, arrays, pointers
kernel void k(read_only image2d_t a){}
