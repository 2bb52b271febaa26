// Writing images, s6.13.14.5 to s6.13.14.6: outside of the image nothing is written.

// The bytes before a layer or slice; -1 if there is none.
long __target_slice(constant void *image, int z)
{
    return (uint)z < (uint)__image_depth(image) ? __slice(image, z) : -1;
}

// The place of a texel; -1 if it is outside.
long __target_1d(constant void *image, int x, long start)
{
    return (uint)x < (uint)__image_width(image) && start >= 0 ? __place(image, x, start) : -1;
}
long __target_2d(constant void *image, int2 coord, long start)
{
    bool inside = (uint)coord.y < (uint)__image_height(image) && start >= 0;
    return inside ? __target_1d(image, coord.x, __row(image, coord.y, start)) : -1;
}

__deferred void __write1(constant void *image, int x, long start, float4 color)
{
    long place = __target_1d(image, x, start);
    if (place >= 0) __set_texelf(image, place, color);
}
__deferred void __write1(constant void *image, int x, long start, int4 color)
{
    long place = __target_1d(image, x, start);
    if (place >= 0) __set_texeli(image, place, color);
}
__deferred void __write2(constant void *image, int2 coord, long start, float4 color)
{
    long place = __target_2d(image, coord, start);
    if (place >= 0) __set_texelf(image, place, color);
}
__deferred void __write2(constant void *image, int2 coord, long start, int4 color)
{
    long place = __target_2d(image, coord, start);
    if (place >= 0) __set_texeli(image, place, color);
}

__ext(images) void write_imagef(__writes image2d_t image, int2 coord, float4 color)
{
    __write2(__image(image), coord, 0, color);
}
__ext(images) void write_imagei(__writes image2d_t image, int2 coord, int4 color)
{
    __write2(__image(image), coord, 0, color);
}
__ext(images) void write_imageui(__writes image2d_t image, int2 coord, uint4 color)
{
    __write2(__image(image), coord, 0, as_int4(color));
}
__ext(images, cl_khr_fp16) void write_imageh(__writes image2d_t image, int2 coord, half4 color)
{
    write_imagef(image, coord, convert_float4(color));
}

__ext(images) __since(120) void write_imagef(__writes image2d_array_t image, int4 coord, float4 color)
{
    __write2(__image(image), coord.xy, __target_slice(__image(image), coord.z), color);
}
__ext(images) __since(120) void write_imagei(__writes image2d_array_t image, int4 coord, int4 color)
{
    __write2(__image(image), coord.xy, __target_slice(__image(image), coord.z), color);
}
__ext(images) __since(120) void write_imageui(__writes image2d_array_t image, int4 coord, uint4 color)
{
    __write2(__image(image), coord.xy, __target_slice(__image(image), coord.z), as_int4(color));
}
__ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image2d_array_t image, int4 coord, half4 color)
{
    write_imagef(image, coord, convert_float4(color));
}

__ext(images) __since(120) void write_imagef(__writes image1d_t image, int coord, float4 color)
{
    __write1(__image(image), coord, 0, color);
}
__ext(images) __since(120) void write_imagei(__writes image1d_t image, int coord, int4 color)
{
    __write1(__image(image), coord, 0, color);
}
__ext(images) __since(120) void write_imageui(__writes image1d_t image, int coord, uint4 color)
{
    __write1(__image(image), coord, 0, as_int4(color));
}
__ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image1d_t image, int coord, half4 color)
{
    write_imagef(image, coord, convert_float4(color));
}

__ext(images) __since(120) void write_imagef(__writes image1d_array_t image, int2 coord, float4 color)
{
    __write1(__image(image), coord.x, __target_slice(__image(image), coord.y), color);
}
__ext(images) __since(120) void write_imagei(__writes image1d_array_t image, int2 coord, int4 color)
{
    __write1(__image(image), coord.x, __target_slice(__image(image), coord.y), color);
}
__ext(images) __since(120) void write_imageui(__writes image1d_array_t image, int2 coord, uint4 color)
{
    __write1(__image(image), coord.x, __target_slice(__image(image), coord.y), as_int4(color));
}
__ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image1d_array_t image, int2 coord, half4 color)
{
    write_imagef(image, coord, convert_float4(color));
}

__ext(images) __since(120) void write_imagef(__writes image1d_buffer_t image, int coord, float4 color)
{
    __write1(__image(image), coord, 0, color);
}
__ext(images) __since(120) void write_imagei(__writes image1d_buffer_t image, int coord, int4 color)
{
    __write1(__image(image), coord, 0, color);
}
__ext(images) __since(120) void write_imageui(__writes image1d_buffer_t image, int coord, uint4 color)
{
    __write1(__image(image), coord, 0, as_int4(color));
}
__ext(images, cl_khr_fp16) __since(120) void write_imageh(__writes image1d_buffer_t image, int coord, half4 color)
{
    write_imagef(image, coord, convert_float4(color));
}

__ext(images, cl_khr_3d_image_writes) void write_imagef(__writes image3d_t image, int4 coord, float4 color)
{
    __write2(__image(image), coord.xy, __target_slice(__image(image), coord.z), color);
}
__ext(images, cl_khr_3d_image_writes) void write_imagei(__writes image3d_t image, int4 coord, int4 color)
{
    __write2(__image(image), coord.xy, __target_slice(__image(image), coord.z), color);
}
__ext(images, cl_khr_3d_image_writes) void write_imageui(__writes image3d_t image, int4 coord, uint4 color)
{
    __write2(__image(image), coord.xy, __target_slice(__image(image), coord.z), as_int4(color));
}
__ext(images, cl_khr_3d_image_writes, cl_khr_fp16)
void write_imageh(__writes image3d_t image, int4 coord, half4 color)
{
    write_imagef(image, coord, convert_float4(color));
}

__ext(images) __since(120) void write_imagef(__writes image2d_depth_t image, int2 coord, float depth)
{
    __write2(__image(image), coord, 0, (float4)depth);
}

__ext(images) __since(120) void write_imagef(__writes image2d_array_depth_t image, int4 coord, float depth)
{
    __write2(__image(image), coord.xy, __target_slice(__image(image), coord.z), (float4)depth);
}
