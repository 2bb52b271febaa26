// options: -cl-std=CL1.2
// a sampler is made of constants
kernel void k(read_only image2d_t i, int n, global float4*o){
    sampler_t t = n; // error: must be a constant
    o[0]=read_imagef(i,n,(int2)(0)); // error: no built-in function 'read_imagef'
}
