// options: -cl-std=CL1.2
// image2d_t kernel argument type
kernel void k(read_only image2d_t im, global int*g){ g[0]=get_image_width(im); }
