// What the functions of this folder are made of: an image is the address of its descriptor, a sampler its number, and a
// texel lies some bytes after the first one. Where formats and samplers are known, little of all this is left.

__ext(images) __since(120) __op(bitcast) constant void *__image(image1d_t image);
__ext(images) __since(120) __op(bitcast) constant void *__image(image1d_buffer_t image);
__ext(images) __since(120) __op(bitcast) constant void *__image(image1d_array_t image);
__ext(images) __op(bitcast) constant void *__image(image2d_t image);
__ext(images) __since(120) __op(bitcast) constant void *__image(image2d_array_t image);
__ext(images) __since(120) __op(bitcast) constant void *__image(image2d_depth_t image);
__ext(images) __since(120) __op(bitcast) constant void *__image(image2d_array_depth_t image);
__ext(images) __op(bitcast) constant void *__image(image3d_t image);

// The sum of CLK_NORMALIZED_COORDS_*, CLK_ADDRESS_* and CLK_FILTER_*.
__ext(images) __op(bitcast) uint __sampler(sampler_t sampler);

__op(image_width) int __image_width(constant void *image);
__op(image_height) int __image_height(constant void *image);
__op(image_depth) int __image_depth(constant void *image);
__op(image_order) int __image_order(constant void *image);
__op(image_channel_type) int __image_channel_type(constant void *image);
__op(image_texel_size) int __image_texel_size(constant void *image);
__op(image_row_pitch) long __image_row_pitch(constant void *image);
__op(image_slice_pitch) long __image_slice_pitch(constant void *image);
__op(image_border) int __image_border(constant void *image);

__op(image_scale) int __image_scale_bits(constant void *image);

// Components, and how much one is: those of normalized channels are numbers as they are stored.
__op(image_load) float4 __raw(constant void *image, long place);
float __image_scale(constant void *image) { return as_float(__image_scale_bits(image)); }

float4 __texelf(constant void *image, long place)
{
    float4 raw = __raw(image, place);
    return __image_scale(image) == 1.0f ? raw : raw * __image_scale(image);
}

__op(image_load) int4 __texeli(constant void *image, long place);
__op(image_store) void __set_texelf(constant void *image, long place, float4 color);
__op(image_store) void __set_texeli(constant void *image, long place, int4 color);
