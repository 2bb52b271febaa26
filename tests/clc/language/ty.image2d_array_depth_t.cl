// options: -cl-std=CL2.0
// image2d_array_depth_t kernel argument type
kernel void k(read_only image2d_array_depth_t im, global float*g){ g[0]=get_image_width(im)+(int)get_image_array_size(im)+read_imagef(im,(int4)(0)); }
