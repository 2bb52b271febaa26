// options: -cl-std=CL2.0
// 3D image writes in 2.0
kernel void k(write_only image3d_t i){ write_imagef(i,(int4)(0),(float4)(0)); }
