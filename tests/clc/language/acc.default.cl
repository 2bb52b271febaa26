// options: -cl-std=CL1.2
// image arg default read_only
void h(read_only image2d_t im) {}
kernel void k(image2d_t im, sampler_t s, global float4*o){ o[0]=read_imagef(im,s,(float2)(0)); h(im); }
