// options: -cl-std=CL1.2
// address space qualifiers not on image types
kernel void k(global read_only image2d_t im){} // error: the address space is not allowed here
