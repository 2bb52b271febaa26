// Queries of images as SPIR-V numbers and orders them.

__ext(images) __since(120) int __spirv_image_size(image1d_t image)
{
    return get_image_width(image);
}
__ext(images) __since(120) int __spirv_image_size(image1d_buffer_t image)
{
    return get_image_width(image);
}
__ext(images) __since(120) int2 __spirv_image_size(image1d_array_t image)
{
    return (int2)(get_image_width(image), (int)get_image_array_size(image));
}
__ext(images) int2 __spirv_image_size(image2d_t image)
{
    return (int2)(get_image_width(image), get_image_height(image));
}
__ext(images) __since(120) int3 __spirv_image_size(image2d_array_t image)
{
    return (int3)(get_image_width(image), get_image_height(image), (int)get_image_array_size(image));
}
__ext(images) __since(120) int2 __spirv_image_size(image2d_depth_t image)
{
    return (int2)(get_image_width(image), get_image_height(image));
}
__ext(images) __since(120) int3 __spirv_image_size(image2d_array_depth_t image)
{
    return (int3)(get_image_width(image), get_image_height(image), (int)get_image_array_size(image));
}
__ext(images) int3 __spirv_image_size(image3d_t image)
{
    return (int3)(get_image_width(image), get_image_height(image), get_image_depth(image));
}

// Both count from 0 what the host API and OpenCL C count from other numbers.
__ext(images) __since(120) int __spirv_image_format(image1d_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) __since(120) int __spirv_image_format(image1d_buffer_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) __since(120) int __spirv_image_format(image1d_array_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) int __spirv_image_format(image2d_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) __since(120) int __spirv_image_format(image2d_array_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) __since(120) int __spirv_image_format(image2d_depth_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) __since(120) int __spirv_image_format(image2d_array_depth_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) int __spirv_image_format(image3d_t image) { return get_image_channel_data_type(image) - CLK_SNORM_INT8; }
__ext(images) __since(120) int __spirv_image_order(image1d_t image) { return get_image_channel_order(image) - CLK_R; }
__ext(images) __since(120) int __spirv_image_order(image1d_buffer_t image) { return get_image_channel_order(image) - CLK_R; }
__ext(images) __since(120) int __spirv_image_order(image1d_array_t image) { return get_image_channel_order(image) - CLK_R; }
__ext(images) int __spirv_image_order(image2d_t image) { return get_image_channel_order(image) - CLK_R; }
__ext(images) __since(120) int __spirv_image_order(image2d_array_t image) { return get_image_channel_order(image) - CLK_R; }
__ext(images) __since(120) int __spirv_image_order(image2d_depth_t image) { return get_image_channel_order(image) - CLK_R; }
__ext(images) __since(120) int __spirv_image_order(image2d_array_depth_t image) { return get_image_channel_order(image) - CLK_R; }
__ext(images) int __spirv_image_order(image3d_t image) { return get_image_channel_order(image) - CLK_R; }
