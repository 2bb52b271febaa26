// What an image is, s6.13.14.7.

__ext(images) __since(120) int get_image_width(image1d_t image) { return __image_width(__image(image)); }
__ext(images) __since(120) int get_image_width(image1d_buffer_t image)
{
    return __image_width(__image(image));
}
__ext(images) __since(120) int get_image_width(image1d_array_t image)
{
    return __image_width(__image(image));
}
__ext(images) int get_image_width(image2d_t image) { return __image_width(__image(image)); }
__ext(images) __since(120) int get_image_width(image2d_array_t image)
{
    return __image_width(__image(image));
}
__ext(images) __since(120) int get_image_width(image2d_depth_t image)
{
    return __image_width(__image(image));
}
__ext(images) __since(120) int get_image_width(image2d_array_depth_t image)
{
    return __image_width(__image(image));
}
__ext(images) int get_image_width(image3d_t image) { return __image_width(__image(image)); }

__ext(images) int get_image_height(image2d_t image) { return __image_height(__image(image)); }
__ext(images) __since(120) int get_image_height(image2d_array_t image)
{
    return __image_height(__image(image));
}
__ext(images) __since(120) int get_image_height(image2d_depth_t image)
{
    return __image_height(__image(image));
}
__ext(images) __since(120) int get_image_height(image2d_array_depth_t image)
{
    return __image_height(__image(image));
}
__ext(images) int get_image_height(image3d_t image) { return __image_height(__image(image)); }

__ext(images) int get_image_depth(image3d_t image) { return __image_depth(__image(image)); }

__ext(images) __since(120) int get_image_channel_data_type(image1d_t image)
{
    return __image_channel_type(__image(image));
}
__ext(images) __since(120) int get_image_channel_data_type(image1d_buffer_t image)
{
    return __image_channel_type(__image(image));
}
__ext(images) __since(120) int get_image_channel_data_type(image1d_array_t image)
{
    return __image_channel_type(__image(image));
}
__ext(images) int get_image_channel_data_type(image2d_t image)
{
    return __image_channel_type(__image(image));
}
__ext(images) __since(120) int get_image_channel_data_type(image2d_array_t image)
{
    return __image_channel_type(__image(image));
}
__ext(images) __since(120) int get_image_channel_data_type(image2d_depth_t image)
{
    return __image_channel_type(__image(image));
}
__ext(images) __since(120) int get_image_channel_data_type(image2d_array_depth_t image)
{
    return __image_channel_type(__image(image));
}
__ext(images) int get_image_channel_data_type(image3d_t image)
{
    return __image_channel_type(__image(image));
}

__ext(images) __since(120) int get_image_channel_order(image1d_t image)
{
    return __image_order(__image(image));
}
__ext(images) __since(120) int get_image_channel_order(image1d_buffer_t image)
{
    return __image_order(__image(image));
}
__ext(images) __since(120) int get_image_channel_order(image1d_array_t image)
{
    return __image_order(__image(image));
}
__ext(images) int get_image_channel_order(image2d_t image) { return __image_order(__image(image)); }
__ext(images) __since(120) int get_image_channel_order(image2d_array_t image)
{
    return __image_order(__image(image));
}
__ext(images) __since(120) int get_image_channel_order(image2d_depth_t image)
{
    return __image_order(__image(image));
}
__ext(images) __since(120) int get_image_channel_order(image2d_array_depth_t image)
{
    return __image_order(__image(image));
}
__ext(images) int get_image_channel_order(image3d_t image) { return __image_order(__image(image)); }

__ext(images) int2 get_image_dim(image2d_t image)
{
    return (int2)(get_image_width(image), get_image_height(image));
}
__ext(images) __since(120) int2 get_image_dim(image2d_array_t image)
{
    return (int2)(get_image_width(image), get_image_height(image));
}
__ext(images) __since(120) int2 get_image_dim(image2d_depth_t image)
{
    return (int2)(get_image_width(image), get_image_height(image));
}
__ext(images) __since(120) int2 get_image_dim(image2d_array_depth_t image)
{
    return (int2)(get_image_width(image), get_image_height(image));
}

__ext(images) int4 get_image_dim(image3d_t image)
{
    return (int4)(get_image_width(image), get_image_height(image), get_image_depth(image), 0);
}

__ext(images) __since(120) size_t get_image_array_size(image1d_array_t image)
{
    return __image_depth(__image(image));
}
__ext(images) __since(120) size_t get_image_array_size(image2d_array_t image)
{
    return __image_depth(__image(image));
}
__ext(images) __since(120) size_t get_image_array_size(image2d_array_depth_t image)
{
    return __image_depth(__image(image));
}
