// options: -cl-std=CL1.2
// event_t local variable; 0 converts to event_t
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ event_t e = async_work_group_copy(l, g, 4, 0); wait_group_events(1,&e); }
