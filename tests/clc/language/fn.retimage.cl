// options: -cl-std=CL1.2
// what is read from an image is returned
float4 h(read_only image2d_t im, sampler_t s) { return read_imagef(im, s, (int2)(0)); }
