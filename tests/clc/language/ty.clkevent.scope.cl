// options: -cl-std=CL2.0
// a null event
kernel void k(global int*g){ clk_event_t e = CLK_NULL_EVENT; reserve_id_t r = CLK_NULL_RESERVE_ID; queue_t q = CLK_NULL_QUEUE; }
