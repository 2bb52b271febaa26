// options: -cl-std=CL1.2
// Private operands have no form.
kernel void k(global int *g) { int x[4]; event_t e = async_work_group_strided_copy(x, g, 4, 1, 0); wait_group_events(1, &e); } // error: no built-in function 'async_work_group_strided_copy' takes (int *, global int *, int, int, int)
