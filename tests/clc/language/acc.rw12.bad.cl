// options: -cl-std=CL1.2
// read_write invalid before 2.0
kernel void k(read_write image2d_t im){} // error: 'read_write' needs OpenCL C 2.0
