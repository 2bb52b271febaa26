// options: -cl-std=CL1.2
// facts: nofp16
// half by value is not a kernel parameter without fp16
kernel void k(global half *p){}
