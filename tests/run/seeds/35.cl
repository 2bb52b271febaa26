// Statement 35 of the founding documents: A non-zero event argument is returned again, so several copies share one event and one wait covers all of them.
// options: -cl-std=CL1.2
// run: k global=4 local=4 args: int[8] = iota; int[4] = 0 ...; local 16
// expect: 1 = 0 1 4 6
kernel void k(global const int *s, global int *o, local int *l) { event_t e = async_work_group_strided_copy(l, s, 2, 1, 0); e = async_work_group_strided_copy(l + 2, s + 4, 2, 2, e); wait_group_events(1, &e); if (get_local_id(0) == 0) for (int i = 0; i < 4; i++) o[i] = l[i]; }
