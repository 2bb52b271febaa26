// options: -cl-std=CL1.2
// async copy with private pointer rejected
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ event_t e=async_work_group_strided_copy(l,g,4,2,0); wait_group_events(1,&e); }
