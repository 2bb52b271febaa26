// options: -cl-std=CL1.2
// explicit private pointer kernel arg rejected
kernel void k(private int*a){} // error: a pointer parameter of a kernel must point to global, local or constant
