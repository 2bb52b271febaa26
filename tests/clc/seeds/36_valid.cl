// options: -cl-std=CL1.2
// An array of different events may be waited for at once.
kernel void k(global int *g, local int *l) { event_t e[2]; e[0] = async_work_group_copy(l, g, 2, 0); e[1] = async_work_group_copy(l + 2, g + 2, 2, 0); wait_group_events(2, e); }
