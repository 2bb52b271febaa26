// Writing images, s6.13.14.5 to s6.13.14.6.
// The checks know these; no device of ours has images yet.

__declared __ext(images) void write_imagef(__writes image2d_t image, int2 coord, float4 color);
__declared __ext(images) void write_imagei(__writes image2d_t image, int2 coord, int4 color);
__declared __ext(images) void write_imageui(__writes image2d_t image, int2 coord, uint4 color);
__declared __ext(images, cl_khr_fp16) void write_imageh(__writes image2d_t image, int2 coord, half4 color);

__declared __ext(images) __since(120) void write_imagef(__writes image2d_array_t image, int4 coord, float4 color);
__declared __ext(images) __since(120) void write_imagei(__writes image2d_array_t image, int4 coord, int4 color);
__declared __ext(images) __since(120) void write_imageui(__writes image2d_array_t image, int4 coord, uint4 color);
__declared __ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image2d_array_t image, int4 coord, half4 color);

__declared __ext(images) __since(120) void write_imagef(__writes image1d_t image, int coord, float4 color);
__declared __ext(images) __since(120) void write_imagei(__writes image1d_t image, int coord, int4 color);
__declared __ext(images) __since(120) void write_imageui(__writes image1d_t image, int coord, uint4 color);
__declared __ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image1d_t image, int coord, half4 color);

__declared __ext(images) __since(120) void write_imagef(__writes image1d_array_t image, int2 coord, float4 color);
__declared __ext(images) __since(120) void write_imagei(__writes image1d_array_t image, int2 coord, int4 color);
__declared __ext(images) __since(120) void write_imageui(__writes image1d_array_t image, int2 coord, uint4 color);
__declared __ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image1d_array_t image, int2 coord, half4 color);

__declared __ext(images) __since(120) void write_imagef(__writes image1d_buffer_t image, int coord, float4 color);
__declared __ext(images) __since(120) void write_imagei(__writes image1d_buffer_t image, int coord, int4 color);
__declared __ext(images) __since(120) void write_imageui(__writes image1d_buffer_t image, int coord, uint4 color);
__declared __ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image1d_buffer_t image, int coord, half4 color);

__declared __ext(images) __since(200) void write_imagef(__writes image3d_t image, int4 coord, float4 color);
__declared __ext(images) __since(200) void write_imagei(__writes image3d_t image, int4 coord, int4 color);
__declared __ext(images) __since(200) void write_imageui(__writes image3d_t image, int4 coord, uint4 color);
__declared __ext(images, cl_khr_fp16) __since(200) void write_imageh(__writes image3d_t image, int4 coord, half4 color);

__declared __ext(images) __since(200) void write_imagef(__writes image2d_depth_t image, int2 coord, float depth);
__declared __ext(images) __since(200) void write_imagef(__writes image2d_array_depth_t image, int4 coord, float depth);
