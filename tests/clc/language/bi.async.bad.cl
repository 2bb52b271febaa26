// options: -cl-std=CL1.2
// async copy src/dst spaces must be local/global pair
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ event_t e=async_work_group_copy(g,g,4,0); wait_group_events(1,&e); } // error: no built-in function 'async_work_group_copy' takes (global int *, global int *, int, int)
