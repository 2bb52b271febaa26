// options: -cl-std=CL1.2
// no pointer-to-pointer kernel args before 2.0
kernel void k(global int* global*g){} // error: a kernel parameter cannot be a pointer to a pointer before 2.0
