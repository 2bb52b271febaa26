// options: -cl-std=CL1.2
// an image goes to a function as it is
int h(read_only image2d_t im) { return get_image_height(im); } kernel void k(read_only image2d_t im, global int *g){ g[0]=h(im); }
