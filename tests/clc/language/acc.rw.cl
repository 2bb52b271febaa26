// options: -cl-std=CL2.0
// read_write allows samplerless read and write
kernel void k(read_write image2d_t im){ float4 v=read_imagef(im,(int2)(0)); write_imagef(im,(int2)(1),v); }
