// options: -cl-std=CL1.2
// kernel pointer args must be global, local or constant
kernel void k(int*g, // error: a pointer parameter of a kernel
    private float*f){} // error: a pointer parameter of a kernel
