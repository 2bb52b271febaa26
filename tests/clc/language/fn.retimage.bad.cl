// options: -cl-std=CL1.2
// image and sampler not return types
image2d_t f(read_only image2d_t im) { return im; } // error: cannot return an image or sampler
sampler_t g(sampler_t s) { return s; } // error: cannot return an image or sampler
