// options: -cl-std=CL1.2
// facts: nofp16
// half usable only as pointee without cl_khr_fp16
void b(global half *p){} kernel void k(global half *p){ global half *q=p+1; b(q); }
