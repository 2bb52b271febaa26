// options: -cl-std=CL1.2
// facts: nofp16
// half allows only sizeof without fp16
kernel void k(global half*p){ p[0]=p[1]+p[2]; } // error: a 'half' cannot be loaded without cl_khr_fp16; use vload_half // error: a 'half' cannot be loaded without cl_khr_fp16; use vload_half // error: a 'half' cannot be stored without cl_khr_fp16; use vstore_half
