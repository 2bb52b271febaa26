// options: -cl-std=CL1.2
// kernel attributes only on kernels
__attribute__((reqd_work_group_size(1,1,1))) void h(void){} kernel void k(void){} // error: this attribute is for kernels only
