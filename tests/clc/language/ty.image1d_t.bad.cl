// options: -cl-std=CL1.2
// image1d_t kernel argument type
kernel void k(global int*g){ image1d_t im; g[0]=1; } // error: an image can only be a parameter of a function
