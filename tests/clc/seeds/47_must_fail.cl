// options: -cl-std=CL1.2
// User struct pointers are not gentypes.
struct S { int a; };
kernel void k(global struct S *g, local struct S *l) { event_t e = async_work_group_strided_copy(l, g, 1, 1, 0); wait_group_events(1, &e); } // error: no built-in function 'async_work_group_strided_copy' takes (local struct S *, global struct S *, int, int, int)
