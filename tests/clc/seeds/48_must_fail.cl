// options: -cl-std=CL1.2
// The event argument is required and is an event_t (0 only as null).
kernel void k(global int *g, local int *l) { event_t e = async_work_group_strided_copy(l, g, 1, 1); wait_group_events(1, &e); } // error: no built-in function 'async_work_group_strided_copy' takes (local int *, global int *, int, int)
