// options: -cl-std=CL1.2
// image2d_array_t kernel argument type
kernel void k(read_only image2d_array_t im, global int*g){ g[0]=get_image_width(im); }
