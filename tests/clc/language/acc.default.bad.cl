// options: -cl-std=CL1.2
// image arg default read_only
kernel void k(image2d_t im){
    write_imagef(im,(int2)(0),(float4)(0)); // error: no built-in function 'write_imagef'
}
