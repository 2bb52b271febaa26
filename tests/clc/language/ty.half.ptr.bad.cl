// options: -cl-std=CL1.2
// facts: nofp16
// half usable only as pointee without cl_khr_fp16
kernel void k(global half *p, global float *o){ half a; a=*p; o[0]=1; } // error: 'half' can only be what a pointer points at; values of it need cl_khr_fp16 // error: a 'half' cannot be stored without cl_khr_fp16; use vstore_half // error: a 'half' cannot be loaded without cl_khr_fp16; use vload_half
