// options: -cl-std=CL1.2
// Stride 0, or a stride that runs past the end of the space, is undefined: never crash the compiler. Expect: run only with st >= 1.
kernel void k(global int *g, local int *l, int st) { event_t e = async_work_group_strided_copy(l, g, 2, st, 0); wait_group_events(1, &e); }
