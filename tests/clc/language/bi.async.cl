// options: -cl-std=CL1.2
// async copy src/dst spaces must be local/global pair
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ event_t e=async_work_group_copy(l,(const global int*)g,4,0); e=async_work_group_copy(g,l,4,e); wait_group_events(1,&e); }
