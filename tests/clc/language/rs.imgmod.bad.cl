// options: -cl-std=CL1.2
// image arguments cannot be reassigned
kernel void k(read_only image2d_t a, read_only image2d_t b){
    a=b; // error: cannot be assigned to
}
