// options: -cl-std=CL1.2
// write_only rejects reads
kernel void k(write_only image2d_t im, global float4*o){
    o[0]=read_imagef(im,(int2)(0)); // error: no built-in function 'read_imagef'
}
