// options: -cl-std=CL1.2
// sampler variable must be initialized with integer constant
kernel void k(int x){ const sampler_t s = x; } // error: the initial value of a sampler must be a constant
