// options: -cl-std=CL2.0
// not a kernel argument
kernel void k(clk_event_t e){} // error: a kernel parameter cannot be 'clk_event_t'
