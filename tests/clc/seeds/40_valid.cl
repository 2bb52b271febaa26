// options: -cl-std=CL1.2
// double types join when fp64 is supported.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global double2 *g, local double2 *l) { event_t e = async_work_group_strided_copy(l, g, 1, 1, 0); wait_group_events(1, &e); }
