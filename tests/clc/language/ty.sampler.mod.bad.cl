// options: -cl-std=CL1.2
// sampler variables cannot be modified
kernel void k(sampler_t s){ s = 0; } // error: images and samplers cannot be assigned to
