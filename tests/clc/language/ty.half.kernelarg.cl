// options: -cl-std=CL1.2
// half by value is not a kernel parameter without fp16
kernel void k(global half *p){}
