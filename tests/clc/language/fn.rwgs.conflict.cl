// options: -cl-std=CL1.2
// repeated reqd_work_group_size must agree
kernel __attribute__((reqd_work_group_size(4,1,1))) void k(void){}
