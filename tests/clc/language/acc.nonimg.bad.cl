// options: -cl-std=CL1.2
// access qualifier only on image and pipe
kernel void k(read_only int x){} // error: an access qualifier is for images and pipes only
