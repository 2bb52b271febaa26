// options: -cl-std=CL1.2
// 1.0h literal with cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *p){ p[0]=p[1]*1.5h; }
