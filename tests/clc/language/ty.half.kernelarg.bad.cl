// options: -cl-std=CL1.2
// facts: nofp16
// half by value is not a kernel parameter without fp16
kernel void k(half h){} // error: 'half' can only be what a pointer points at; values of it need cl_khr_fp16
