// options: -cl-std=CL1.2
// A constant source has no form.
kernel void k(constant int *c, local int *l) { event_t e = async_work_group_strided_copy(l, c, 4, 1, 0); wait_group_events(1, &e); } // error: no built-in function 'async_work_group_strided_copy' takes (local int *, constant int *, int, int, int)
