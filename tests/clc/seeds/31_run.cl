// options: -cl-std=CL1.2
// Stride 1 equals async_work_group_copy. Expect: all zero.
kernel void k(global const int *s, global int *o, local int *l) { event_t e = async_work_group_strided_copy(l, s, 8, 1, 0); e = async_work_group_copy(l + 8, s, 8, e); wait_group_events(1, &e); if (get_local_id(0) == 0) for (int i = 0; i < 8; i++) o[i] = l[i] - l[i + 8]; }
