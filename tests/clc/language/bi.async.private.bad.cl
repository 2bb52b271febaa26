// options: -cl-std=CL1.2
// async copy with private pointer rejected
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int x[4]; event_t e=async_work_group_copy(x,g,4,0); wait_group_events(1,&e); } // error: no built-in function 'async_work_group_copy' takes (int *, global int *, int, int)
