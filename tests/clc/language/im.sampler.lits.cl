// options: -cl-std=CL1.2
// sampler bit values from CLK_* literals only
constant sampler_t s=CLK_NORMALIZED_COORDS_TRUE|CLK_ADDRESS_REPEAT|CLK_FILTER_LINEAR; kernel void k(read_only image2d_t i, global float4*o){ o[0]=read_imagef(i,s,(float2)(0.5f)); const sampler_t t=CLK_FILTER_NEAREST; o[1]=read_imagef(i,t,(int2)(0))+read_imagef(i,CLK_ADDRESS_CLAMP|CLK_FILTER_NEAREST,(int2)(0)); }
