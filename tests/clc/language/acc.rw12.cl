// options: -cl-std=CL2.0
// read_write from 2.0 on
kernel void k(__read_write image3d_t im){ write_imagei(im,(int4)(1),read_imagei(im,(int4)(0))); }
