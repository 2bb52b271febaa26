// options: -cl-std=CL1.2
// event_t local variable; 0 converts to event_t
kernel void k(event_t e){} // error: a kernel parameter cannot be 'event_t'
