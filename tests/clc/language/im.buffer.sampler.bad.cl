// options: -cl-std=CL1.2
// image1d_buffer_t has no sampler read
kernel void k(read_only image1d_buffer_t i, sampler_t s, global float4*o){
    o[0]=read_imagef(i,s,0); // error: no built-in function 'read_imagef'
}
