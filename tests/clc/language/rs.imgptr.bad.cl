// options: -cl-std=CL1.2
// pointer to image rejected
kernel void k(read_only image2d_t *im){} // error: pointers to 'read_only image2d_t' are not allowed
