// options: -cl-std=CL1.2
// coordinate vector width by image type
kernel void k(read_only image3d_t i, read_only image1d_t l, read_only image1d_array_t la, read_only image2d_array_t pa, sampler_t s, global float4*o){ o[0]=read_imagef(i,s,(float4)(0))+read_imagef(l,s,0.5f)+read_imagef(l,s,1)+read_imagef(la,s,(float2)(1))+read_imagef(pa,s,(int4)(1)); o[1]=convert_float4(read_imagei(l,3)); o[2]=convert_float4(read_imageui(la,(int2)(3))); }
