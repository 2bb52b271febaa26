// options: -cl-std=CL1.2
// no arrays of or pointers to samplers, not a return type
kernel void k(sampler_t *s){} // error: pointers to 'sampler_t' are not allowed
