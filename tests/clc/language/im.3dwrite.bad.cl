// options: -cl-std=CL1.2
// facts: no3dwrites
// 3D image writes need an extension
kernel void k(write_only image3d_t i){
    write_imagef(i,(int4)(0),(float4)(0)); // error: no built-in function 'write_imagef'
}
