// options: -cl-std=CL1.2
// Element types of source and destination must be equal.
kernel void k(global float *g, local int *l) { event_t e = async_work_group_strided_copy(l, g, 4, 1, 0); wait_group_events(1, &e); } // error: no built-in function 'async_work_group_strided_copy' takes (local int *, global float *, int, int, int)
