// options: -cl-std=CL3.0
// facts: cl30 
// feature macros equal 1
#if __opencl_c_int64 != 1 || __opencl_c_images != 1 || __opencl_c_pipes != 1 || __opencl_c_device_enqueue != 1 || __opencl_c_subgroups != 1 || __OPENCL_C_VERSION__ != CL_VERSION_3_0
#error
#endif
kernel void k(global float4*g){ g[0].rgba=g[1].abgr; }
