// options: -cl-std=CL2.0
// nosvm pointer attribute (deprecated, ignorable)
kernel void k(global int* __attribute__((nosvm)) p){ p[0]=1; }
