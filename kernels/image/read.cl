// Reading images, s6.13.14.2 to s6.13.14.4.

__ext(images) float4 read_imagef(read_only image2d_t image, sampler_t sampler, int2 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) int4 read_imagei(read_only image2d_t image, sampler_t sampler, int2 coord)
{
    return __read2i(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) uint4 read_imageui(read_only image2d_t image, sampler_t sampler, int2 coord)
{
    return as_uint4(__read2i(__image(image), __sampler(sampler), coord, 0));
}
__ext(images, cl_khr_fp16) half4 read_imageh(read_only image2d_t image, sampler_t sampler, int2 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}
__ext(images) float4 read_imagef(read_only image2d_t image, sampler_t sampler, float2 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) int4 read_imagei(read_only image2d_t image, sampler_t sampler, float2 coord)
{
    return __read2i(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) uint4 read_imageui(read_only image2d_t image, sampler_t sampler, float2 coord)
{
    return as_uint4(__read2i(__image(image), __sampler(sampler), coord, 0));
}
__ext(images, cl_khr_fp16) half4 read_imageh(read_only image2d_t image, sampler_t sampler, float2 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}

__ext(images) float4 read_imagef(read_only image3d_t image, sampler_t sampler, int4 coord)
{
    return __read3f(__image(image), __sampler(sampler), coord);
}
__ext(images) int4 read_imagei(read_only image3d_t image, sampler_t sampler, int4 coord)
{
    return __read3i(__image(image), __sampler(sampler), coord);
}
__ext(images) uint4 read_imageui(read_only image3d_t image, sampler_t sampler, int4 coord)
{
    return as_uint4(__read3i(__image(image), __sampler(sampler), coord));
}
__ext(images, cl_khr_fp16) half4 read_imageh(read_only image3d_t image, sampler_t sampler, int4 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}
__ext(images) float4 read_imagef(read_only image3d_t image, sampler_t sampler, float4 coord)
{
    return __read3f(__image(image), __sampler(sampler), coord);
}
__ext(images) int4 read_imagei(read_only image3d_t image, sampler_t sampler, float4 coord)
{
    return __read3i(__image(image), __sampler(sampler), coord);
}
__ext(images) uint4 read_imageui(read_only image3d_t image, sampler_t sampler, float4 coord)
{
    return as_uint4(__read3i(__image(image), __sampler(sampler), coord));
}
__ext(images, cl_khr_fp16) half4 read_imageh(read_only image3d_t image, sampler_t sampler, float4 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}

__ext(images) __since(120) float4 read_imagef(read_only image2d_array_t image, sampler_t sampler, int4 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z));
}
__ext(images) __since(120) int4 read_imagei(read_only image2d_array_t image, sampler_t sampler, int4 coord)
{
    return __read2i(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z));
}
__ext(images) __since(120) uint4 read_imageui(read_only image2d_array_t image, sampler_t sampler, int4 coord)
{
    return as_uint4(__read2i(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z)));
}
__ext(images, cl_khr_fp16) __since(120)
half4 read_imageh(read_only image2d_array_t image, sampler_t sampler, int4 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}
__ext(images) __since(120) float4 read_imagef(read_only image2d_array_t image, sampler_t sampler, float4 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z));
}
__ext(images) __since(120) int4 read_imagei(read_only image2d_array_t image, sampler_t sampler, float4 coord)
{
    return __read2i(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z));
}
__ext(images) __since(120) uint4 read_imageui(read_only image2d_array_t image, sampler_t sampler, float4 coord)
{
    return as_uint4(__read2i(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z)));
}
__ext(images, cl_khr_fp16) __since(120)
half4 read_imageh(read_only image2d_array_t image, sampler_t sampler, float4 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}

__ext(images) __since(120) float4 read_imagef(read_only image1d_t image, sampler_t sampler, int coord)
{
    return __read1f(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) __since(120) int4 read_imagei(read_only image1d_t image, sampler_t sampler, int coord)
{
    return __read1i(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) __since(120) uint4 read_imageui(read_only image1d_t image, sampler_t sampler, int coord)
{
    return as_uint4(__read1i(__image(image), __sampler(sampler), coord, 0));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image1d_t image, sampler_t sampler, int coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}
__ext(images) __since(120) float4 read_imagef(read_only image1d_t image, sampler_t sampler, float coord)
{
    return __read1f(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) __since(120) int4 read_imagei(read_only image1d_t image, sampler_t sampler, float coord)
{
    return __read1i(__image(image), __sampler(sampler), coord, 0);
}
__ext(images) __since(120) uint4 read_imageui(read_only image1d_t image, sampler_t sampler, float coord)
{
    return as_uint4(__read1i(__image(image), __sampler(sampler), coord, 0));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image1d_t image, sampler_t sampler, float coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}

__ext(images) __since(120) float4 read_imagef(read_only image1d_array_t image, sampler_t sampler, int2 coord)
{
    return __read1f(__image(image), __sampler(sampler), coord.x, __layer(__image(image), coord.y));
}
__ext(images) __since(120) int4 read_imagei(read_only image1d_array_t image, sampler_t sampler, int2 coord)
{
    return __read1i(__image(image), __sampler(sampler), coord.x, __layer(__image(image), coord.y));
}
__ext(images) __since(120) uint4 read_imageui(read_only image1d_array_t image, sampler_t sampler, int2 coord)
{
    return as_uint4(__read1i(__image(image), __sampler(sampler), coord.x, __layer(__image(image), coord.y)));
}
__ext(images, cl_khr_fp16) __since(120)
half4 read_imageh(read_only image1d_array_t image, sampler_t sampler, int2 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}
__ext(images) __since(120) float4 read_imagef(read_only image1d_array_t image, sampler_t sampler, float2 coord)
{
    return __read1f(__image(image), __sampler(sampler), coord.x, __layer(__image(image), coord.y));
}
__ext(images) __since(120) int4 read_imagei(read_only image1d_array_t image, sampler_t sampler, float2 coord)
{
    return __read1i(__image(image), __sampler(sampler), coord.x, __layer(__image(image), coord.y));
}
__ext(images) __since(120) uint4 read_imageui(read_only image1d_array_t image, sampler_t sampler, float2 coord)
{
    return as_uint4(__read1i(__image(image), __sampler(sampler), coord.x, __layer(__image(image), coord.y)));
}
__ext(images, cl_khr_fp16) __since(120)
half4 read_imageh(read_only image1d_array_t image, sampler_t sampler, float2 coord)
{
    return convert_half4(read_imagef(image, sampler, coord));
}

__ext(images) __since(120) float read_imagef(read_only image2d_depth_t image, sampler_t sampler, int2 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord, 0).x;
}
__ext(images) __since(120) float read_imagef(read_only image2d_depth_t image, sampler_t sampler, float2 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord, 0).x;
}

__ext(images) __since(120) float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, int4 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z)).x;
}
__ext(images) __since(120) float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, float4 coord)
{
    return __read2f(__image(image), __sampler(sampler), coord.xy, __layer(__image(image), coord.z)).x;
}

// Without a sampler (s6.13.14.3): coordinates outside of the image give what is at its edge.

__ext(images) __since(120) float4 read_imagef(__reads image2d_t image, int2 coord)
{
    return __read2f(__image(image), CLK_ADDRESS_NONE, coord, 0);
}
__ext(images) __since(120) int4 read_imagei(__reads image2d_t image, int2 coord)
{
    return __read2i(__image(image), CLK_ADDRESS_NONE, coord, 0);
}
__ext(images) __since(120) uint4 read_imageui(__reads image2d_t image, int2 coord)
{
    return as_uint4(__read2i(__image(image), CLK_ADDRESS_NONE, coord, 0));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image2d_t image, int2 coord)
{
    return convert_half4(read_imagef(image, coord));
}

__ext(images) __since(120) float4 read_imagef(__reads image3d_t image, int4 coord)
{
    return __read3f(__image(image), CLK_ADDRESS_NONE, coord);
}
__ext(images) __since(120) int4 read_imagei(__reads image3d_t image, int4 coord)
{
    return __read3i(__image(image), CLK_ADDRESS_NONE, coord);
}
__ext(images) __since(120) uint4 read_imageui(__reads image3d_t image, int4 coord)
{
    return as_uint4(__read3i(__image(image), CLK_ADDRESS_NONE, coord));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image3d_t image, int4 coord)
{
    return convert_half4(read_imagef(image, coord));
}

__ext(images) __since(120) float4 read_imagef(__reads image2d_array_t image, int4 coord)
{
    return __read2f(__image(image), CLK_ADDRESS_NONE, coord.xy, __layer(__image(image), coord.z));
}
__ext(images) __since(120) int4 read_imagei(__reads image2d_array_t image, int4 coord)
{
    return __read2i(__image(image), CLK_ADDRESS_NONE, coord.xy, __layer(__image(image), coord.z));
}
__ext(images) __since(120) uint4 read_imageui(__reads image2d_array_t image, int4 coord)
{
    return as_uint4(__read2i(__image(image), CLK_ADDRESS_NONE, coord.xy, __layer(__image(image), coord.z)));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image2d_array_t image, int4 coord)
{
    return convert_half4(read_imagef(image, coord));
}

__ext(images) __since(120) float4 read_imagef(__reads image1d_t image, int coord)
{
    return __read1f(__image(image), CLK_ADDRESS_NONE, coord, 0);
}
__ext(images) __since(120) int4 read_imagei(__reads image1d_t image, int coord)
{
    return __read1i(__image(image), CLK_ADDRESS_NONE, coord, 0);
}
__ext(images) __since(120) uint4 read_imageui(__reads image1d_t image, int coord)
{
    return as_uint4(__read1i(__image(image), CLK_ADDRESS_NONE, coord, 0));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image1d_t image, int coord)
{
    return convert_half4(read_imagef(image, coord));
}

__ext(images) __since(120) float4 read_imagef(__reads image1d_array_t image, int2 coord)
{
    return __read1f(__image(image), CLK_ADDRESS_NONE, coord.x, __layer(__image(image), coord.y));
}
__ext(images) __since(120) int4 read_imagei(__reads image1d_array_t image, int2 coord)
{
    return __read1i(__image(image), CLK_ADDRESS_NONE, coord.x, __layer(__image(image), coord.y));
}
__ext(images) __since(120) uint4 read_imageui(__reads image1d_array_t image, int2 coord)
{
    return as_uint4(__read1i(__image(image), CLK_ADDRESS_NONE, coord.x, __layer(__image(image), coord.y)));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image1d_array_t image, int2 coord)
{
    return convert_half4(read_imagef(image, coord));
}

__ext(images) __since(120) float4 read_imagef(__reads image1d_buffer_t image, int coord)
{
    return __read1f(__image(image), CLK_ADDRESS_NONE, coord, 0);
}
__ext(images) __since(120) int4 read_imagei(__reads image1d_buffer_t image, int coord)
{
    return __read1i(__image(image), CLK_ADDRESS_NONE, coord, 0);
}
__ext(images) __since(120) uint4 read_imageui(__reads image1d_buffer_t image, int coord)
{
    return as_uint4(__read1i(__image(image), CLK_ADDRESS_NONE, coord, 0));
}
__ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image1d_buffer_t image, int coord)
{
    return convert_half4(read_imagef(image, coord));
}

__ext(images) __since(120) float read_imagef(__reads image2d_depth_t image, int2 coord)
{
    return __read2f(__image(image), CLK_ADDRESS_NONE, coord, 0).x;
}

__ext(images) __since(120) float read_imagef(__reads image2d_array_depth_t image, int4 coord)
{
    return __read2f(__image(image), CLK_ADDRESS_NONE, coord.xy, __layer(__image(image), coord.z)).x;
}
