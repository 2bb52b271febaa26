// options: -cl-std=CL1.2
// half types join with cl_khr_fp16.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half4 *g, local half4 *l) { event_t e = async_work_group_strided_copy(l, g, 1, 1, 0); wait_group_events(1, &e); }
