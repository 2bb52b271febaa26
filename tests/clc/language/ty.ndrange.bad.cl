// options: -cl-std=CL2.0
// not a host-enqueued kernel argument
kernel void k(ndrange_t n){} // error: a kernel parameter cannot be 'ndrange_t'
