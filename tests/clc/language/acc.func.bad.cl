// options: -cl-std=CL2.0
// image access qualifier must match through calls
void h(write_only image2d_t im){}
kernel void k(read_only image2d_t im){
    h(im); // error: cannot pass 'read_only image2d_t'
}
