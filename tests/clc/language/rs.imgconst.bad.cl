// options: -cl-std=CL1.2
// const/volatile/restrict not on images
kernel void k(read_only image2d_t restrict a){} // error: 'restrict' is for pointers only
