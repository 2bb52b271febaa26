// options: -cl-std=CL2.0
// a depth image is read as a scalar
kernel void k(read_only image2d_depth_t im, global float4*g){
    g[0]=read_imagef(im,(int2)(0)).xyzw; // error: 'float' has no member
}
