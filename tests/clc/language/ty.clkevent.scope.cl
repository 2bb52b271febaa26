// options: -cl-std=CL2.0
// clk_event_t, reserve_id_t not at program scope
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ clk_event_t e = CLK_NULL_EVENT; }
