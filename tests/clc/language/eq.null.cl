// options: -cl-std=CL2.0
// handles compare with their like and with null
kernel void k(global int*g, queue_t q){ clk_event_t e = CLK_NULL_EVENT; if (e == CLK_NULL_EVENT && q != CLK_NULL_QUEUE && 0 != get_default_queue() && q == get_default_queue()) g[0] = e != e; }
