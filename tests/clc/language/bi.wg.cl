// options: -cl-std=CL2.0
// work-group functions in uniform control flow
kernel void k(global int*g){ g[0]=work_group_reduce_add(1)+work_group_scan_exclusive_max(2)+work_group_broadcast(3,0); }
