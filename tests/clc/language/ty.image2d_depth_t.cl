// options: -cl-std=CL2.0
// image2d_depth_t kernel argument type
kernel void k(read_only image2d_depth_t im, sampler_t s, global float*g){ g[0]=get_image_width(im)+read_imagef(im,s,(float2)(0.5f))+read_imagef(im,(int2)(0)); }
