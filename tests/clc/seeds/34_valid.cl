// options: -cl-std=CL1.2
// The result is an event usable by wait_group_events; passing event 0 makes a new one.
kernel void k(global int *g, local int *l) { event_t e = async_work_group_strided_copy(l, g, 2, 1, (event_t)0); wait_group_events(1, &e); }
