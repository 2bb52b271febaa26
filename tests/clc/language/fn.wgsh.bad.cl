// options: -cl-std=CL1.2
// work_group_size_hint(X,Y,Z)
kernel __attribute__((work_group_size_hint(0,1,1))) void k(void){} // error: work-group sizes must be positive
