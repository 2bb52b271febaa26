// options: -cl-std=CL1.2
// image1d_buffer_t has no sampler read
kernel void k(read_only image1d_buffer_t i, global float4*o){ o[0]=read_imagef(i,0); }
