// options: -cl-std=CL1.2
// Form 1: local destination, const global source, src_stride in elements of the source. Expect: o[i] == s[3*i].
kernel void k(global const int *s, global int *o, local int *l) { event_t e = async_work_group_strided_copy(l, s, 4, 3, 0); wait_group_events(1, &e); if (get_local_id(0) == 0) for (int i = 0; i < 4; i++) o[i] = l[i]; }
