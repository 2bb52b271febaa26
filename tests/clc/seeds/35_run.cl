// options: -cl-std=CL1.2
// A non-zero event argument is returned again, so several copies share one event and one wait covers all of them. Expect: o = s[0],s[1],s[4],s[6].
kernel void k(global const int *s, global int *o, local int *l) { event_t e = async_work_group_strided_copy(l, s, 2, 1, 0); e = async_work_group_strided_copy(l + 2, s + 4, 2, 2, e); wait_group_events(1, &e); if (get_local_id(0) == 0) for (int i = 0; i < 4; i++) o[i] = l[i]; }
