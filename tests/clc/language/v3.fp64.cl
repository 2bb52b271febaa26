// options: -cl-std=CL3.0
// facts: cl30
// double behind its feature macro
#ifdef __opencl_c_fp64
kernel void k(global double*d){ d[0]=1.0; }
#else
#error
#endif
