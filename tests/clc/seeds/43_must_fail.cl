// options: -cl-std=CL1.2
// Same-space copies have no form (global to global).
kernel void k(global int *a, global int *b) { event_t e = async_work_group_strided_copy(a, b, 1, 1, 0); wait_group_events(1, &e); } // error: no built-in function 'async_work_group_strided_copy' takes (global int *, global int *, int, int, int)
