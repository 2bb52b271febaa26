// options: -cl-std=CL1.2
// Form 2: global destination, const local source, dst_stride in elements of the destination. Expect: o[2*i] == i+1, other elements unchanged.
kernel void k(global int *o, local int *l) { if (get_local_id(0) == 0) for (int i = 0; i < 4; i++) l[i] = i + 1; barrier(CLK_LOCAL_MEM_FENCE); event_t e = async_work_group_strided_copy(o, l, 4, 2, 0); wait_group_events(1, &e); }
