// options: -cl-std=CL1.2
// image3d_t kernel argument type
kernel void k(read_only image3d_t im, global int*g){ g[0]=get_image_width(im); }
