// Reading images, s6.13.14.2 to s6.13.14.4.
// The checks know these; no device of ours has images yet.

__declared __ext(images) float4 read_imagef(read_only image2d_t image, sampler_t sampler, int2 coord);
__declared __ext(images) float4 read_imagef(read_only image2d_t image, sampler_t sampler, float2 coord);
__declared __ext(images) int4 read_imagei(read_only image2d_t image, sampler_t sampler, int2 coord);
__declared __ext(images) int4 read_imagei(read_only image2d_t image, sampler_t sampler, float2 coord);
__declared __ext(images) uint4 read_imageui(read_only image2d_t image, sampler_t sampler, int2 coord);
__declared __ext(images) uint4 read_imageui(read_only image2d_t image, sampler_t sampler, float2 coord);
__declared __ext(images, cl_khr_fp16) half4 read_imageh(read_only image2d_t image, sampler_t sampler, int2 coord);
__declared __ext(images, cl_khr_fp16) half4 read_imageh(read_only image2d_t image, sampler_t sampler, float2 coord);

__declared __ext(images) float4 read_imagef(read_only image3d_t image, sampler_t sampler, int4 coord);
__declared __ext(images) float4 read_imagef(read_only image3d_t image, sampler_t sampler, float4 coord);
__declared __ext(images) int4 read_imagei(read_only image3d_t image, sampler_t sampler, int4 coord);
__declared __ext(images) int4 read_imagei(read_only image3d_t image, sampler_t sampler, float4 coord);
__declared __ext(images) uint4 read_imageui(read_only image3d_t image, sampler_t sampler, int4 coord);
__declared __ext(images) uint4 read_imageui(read_only image3d_t image, sampler_t sampler, float4 coord);
__declared __ext(images, cl_khr_fp16) half4 read_imageh(read_only image3d_t image, sampler_t sampler, int4 coord);
__declared __ext(images, cl_khr_fp16) half4 read_imageh(read_only image3d_t image, sampler_t sampler, float4 coord);

__declared __ext(images) __since(120) float4 read_imagef(read_only image2d_array_t image, sampler_t sampler, int4 coord);
__declared __ext(images) __since(120) float4 read_imagef(read_only image2d_array_t image, sampler_t sampler, float4 coord);
__declared __ext(images) __since(120) int4 read_imagei(read_only image2d_array_t image, sampler_t sampler, int4 coord);
__declared __ext(images) __since(120) int4 read_imagei(read_only image2d_array_t image, sampler_t sampler, float4 coord);
__declared __ext(images) __since(120) uint4 read_imageui(read_only image2d_array_t image, sampler_t sampler, int4 coord);
__declared __ext(images) __since(120) uint4 read_imageui(read_only image2d_array_t image, sampler_t sampler, float4 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image2d_array_t image, sampler_t sampler, int4 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image2d_array_t image, sampler_t sampler, float4 coord);

__declared __ext(images) __since(120) float4 read_imagef(read_only image1d_t image, sampler_t sampler, int coord);
__declared __ext(images) __since(120) float4 read_imagef(read_only image1d_t image, sampler_t sampler, float coord);
__declared __ext(images) __since(120) int4 read_imagei(read_only image1d_t image, sampler_t sampler, int coord);
__declared __ext(images) __since(120) int4 read_imagei(read_only image1d_t image, sampler_t sampler, float coord);
__declared __ext(images) __since(120) uint4 read_imageui(read_only image1d_t image, sampler_t sampler, int coord);
__declared __ext(images) __since(120) uint4 read_imageui(read_only image1d_t image, sampler_t sampler, float coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image1d_t image, sampler_t sampler, int coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image1d_t image, sampler_t sampler, float coord);

__declared __ext(images) __since(120) float4 read_imagef(read_only image1d_array_t image, sampler_t sampler, int2 coord);
__declared __ext(images) __since(120) float4 read_imagef(read_only image1d_array_t image, sampler_t sampler, float2 coord);
__declared __ext(images) __since(120) int4 read_imagei(read_only image1d_array_t image, sampler_t sampler, int2 coord);
__declared __ext(images) __since(120) int4 read_imagei(read_only image1d_array_t image, sampler_t sampler, float2 coord);
__declared __ext(images) __since(120) uint4 read_imageui(read_only image1d_array_t image, sampler_t sampler, int2 coord);
__declared __ext(images) __since(120) uint4 read_imageui(read_only image1d_array_t image, sampler_t sampler, float2 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image1d_array_t image, sampler_t sampler, int2 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(read_only image1d_array_t image, sampler_t sampler, float2 coord);

__declared __ext(images) __since(200) float read_imagef(read_only image2d_depth_t image, sampler_t sampler, int2 coord);
__declared __ext(images) __since(200) float read_imagef(read_only image2d_depth_t image, sampler_t sampler, float2 coord);

__declared __ext(images) __since(200) float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, int4 coord);
__declared __ext(images) __since(200) float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, float4 coord);

// Without a sampler.

__declared __ext(images) __since(120) float4 read_imagef(__reads image2d_t image, int2 coord);
__declared __ext(images) __since(120) int4 read_imagei(__reads image2d_t image, int2 coord);
__declared __ext(images) __since(120) uint4 read_imageui(__reads image2d_t image, int2 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image2d_t image, int2 coord);

__declared __ext(images) __since(120) float4 read_imagef(__reads image3d_t image, int4 coord);
__declared __ext(images) __since(120) int4 read_imagei(__reads image3d_t image, int4 coord);
__declared __ext(images) __since(120) uint4 read_imageui(__reads image3d_t image, int4 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image3d_t image, int4 coord);

__declared __ext(images) __since(120) float4 read_imagef(__reads image2d_array_t image, int4 coord);
__declared __ext(images) __since(120) int4 read_imagei(__reads image2d_array_t image, int4 coord);
__declared __ext(images) __since(120) uint4 read_imageui(__reads image2d_array_t image, int4 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image2d_array_t image, int4 coord);

__declared __ext(images) __since(120) float4 read_imagef(__reads image1d_t image, int coord);
__declared __ext(images) __since(120) int4 read_imagei(__reads image1d_t image, int coord);
__declared __ext(images) __since(120) uint4 read_imageui(__reads image1d_t image, int coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image1d_t image, int coord);

__declared __ext(images) __since(120) float4 read_imagef(__reads image1d_array_t image, int2 coord);
__declared __ext(images) __since(120) int4 read_imagei(__reads image1d_array_t image, int2 coord);
__declared __ext(images) __since(120) uint4 read_imageui(__reads image1d_array_t image, int2 coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image1d_array_t image, int2 coord);

__declared __ext(images) __since(120) float4 read_imagef(__reads image1d_buffer_t image, int coord);
__declared __ext(images) __since(120) int4 read_imagei(__reads image1d_buffer_t image, int coord);
__declared __ext(images) __since(120) uint4 read_imageui(__reads image1d_buffer_t image, int coord);
__declared __ext(images, cl_khr_fp16) __since(120) half4 read_imageh(__reads image1d_buffer_t image, int coord);
__declared __ext(images) __since(200) float read_imagef(__reads image2d_depth_t image, int2 coord);
__declared __ext(images) __since(200) float read_imagef(__reads image2d_array_depth_t image, int4 coord);
