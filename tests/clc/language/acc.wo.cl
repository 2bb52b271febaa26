// options: -cl-std=CL1.2
// write_only rejects reads
kernel void k(write_only image2d_t im){ write_imagef(im,(int2)(0),(float4)(0)); }
