// options: -cl-std=CL1.2
// coordinate vector width by image type
kernel void k(read_only image2d_t i, sampler_t s, global float4*o){
    o[0]=read_imagef(i,s,(float4)(0)); // error: no built-in function 'read_imagef'
}
