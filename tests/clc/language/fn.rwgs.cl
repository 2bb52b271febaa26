// options: -cl-std=CL1.2
// reqd_work_group_size(X,Y,Z) enforced at enqueue
kernel __attribute__((reqd_work_group_size(4,2,1))) void k(void){}
