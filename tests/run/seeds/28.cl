// Statement 28 of the founding documents: Form 1: local destination, const global source, src_stride in elements of the source.
// options: -cl-std=CL1.2
// run: k global=4 local=4 args: int[12] = iota; int[4] = 0 ...; local 16
// expect: 1 = 0 3 6 9
kernel void k(global const int *s, global int *o, local int *l) { event_t e = async_work_group_strided_copy(l, s, 4, 3, 0); wait_group_events(1, &e); if (get_local_id(0) == 0) for (int i = 0; i < 4; i++) o[i] = l[i]; }
