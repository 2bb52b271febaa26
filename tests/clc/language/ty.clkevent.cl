// options: -cl-std=CL2.0
// clk_event_t local variable
kernel void k(global int*g){ clk_event_t e = create_user_event(); if (is_valid_event(e)) set_user_event_status(e, 0); retain_event(e); release_event(e); }
