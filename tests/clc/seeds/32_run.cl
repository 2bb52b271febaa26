// options: -cl-std=CL1.2
// The copy is one group-wide operation: each element is transferred once, not once per work-item (stays within num_gentypes). Expect: every o[] is -7.
kernel void k(global const int *s, global int *o, local int *l) { if (get_local_id(0) == 0) l[4] = -7; barrier(CLK_LOCAL_MEM_FENCE); event_t e = async_work_group_strided_copy(l, s, 4, 2, 0); wait_group_events(1, &e); o[get_local_id(0)] = l[4]; }
