// options: -cl-std=CL2.0
// language version
#if __OPENCL_C_VERSION__ != 200
#error
#endif
kernel void k(global float*g){ g[0]=g[1]*2; }
