// options: -cl-std=CL1.2
// sampler variables cannot be modified
kernel void k(sampler_t s){}
