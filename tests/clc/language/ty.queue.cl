// options: -cl-std=CL2.0
// queue_t kernel argument and local variable
kernel void k(queue_t q){ queue_t r = q; }
