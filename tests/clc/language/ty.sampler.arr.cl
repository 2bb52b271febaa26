// options: -cl-std=CL1.2
// no arrays of or pointers to samplers, not a return type
kernel void k(sampler_t s){}
