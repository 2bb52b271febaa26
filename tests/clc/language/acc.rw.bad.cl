// options: -cl-std=CL2.0
// a sampler needs read_only
kernel void k(read_write image2d_t im, sampler_t s, global float4*o){
    o[0]=read_imagef(im,s,(int2)(0)); // error: no built-in function 'read_imagef'
}
