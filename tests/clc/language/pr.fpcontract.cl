// options: -cl-std=CL1.2
// #pragma OPENCL FP_CONTRACT ON|OFF|DEFAULT, file or block start
#pragma OPENCL FP_CONTRACT OFF
kernel void k(global float*f){ f[0]=f[1]*f[2]+f[3]; }
