// options: -cl-std=CL1.2
// No implicit synchronization of source data: a barrier is needed between local writes and a copy out. Expect: valid program; without the barrier results are unspecified.
kernel void k(global int *o, local int *l) { l[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); event_t e = async_work_group_strided_copy(o, l, get_local_size(0), 1, 0); wait_group_events(1, &e); }
