// options: -cl-std=CL1.2
// kernel attributes only on kernels
kernel __attribute__((reqd_work_group_size(1,1,1))) void k(void){}
