// options: -cl-std=CL1.2
// double where the device has it
kernel void k(global double *g){ g[0] = g[1] * 2.0 + (double)1.0f; }
