// options: -cl-std=CL1.2
// one access qualifier per argument
kernel void k(read_only write_only image2d_t im){} // error: more than one access qualifier
