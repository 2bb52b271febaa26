// options: -cl-std=CL1.2
// sampler variable must be initialized with integer constant
const sampler_t s = 0; kernel void k(void){}
