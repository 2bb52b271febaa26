// options: -cl-std=CL2.0
// image access qualifier must match through calls
void h(write_only image2d_t im){ write_imagef(im,(int2)(0),(float4)(0)); } kernel void k(write_only image2d_t im){ h(im); }
