// Sampling: each work-item takes TAPS samples along a row and writes their sum.
#define TAPS 16

kernel void sample2d(read_only image2d_t image, sampler_t sampler, global float4 *out, float step)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0.0f;
    for (int i = 0; i < TAPS; ++i)
        sum += read_imagef(image, sampler, (float2)(x * TAPS + i, y + i) * step + 0.3f);
    out[y * get_global_size(0) + x] = sum;
}

kernel void sample3d(read_only image3d_t image, sampler_t sampler, global float4 *out, float step)
{
    int x = get_global_id(0), y = get_global_id(1);
    int4 last = get_image_dim(image) - 1; // side lengths are powers of two
    float4 sum = 0.0f;
    for (int i = 0; i < TAPS; ++i)
        sum += read_imagef(image, sampler,
                           (float4)((x * TAPS + i) & last.x, (y + i) & last.y, (x + y) & last.z, 0) * step + 0.3f);
    out[y * get_global_size(0) + x] = sum;
}

constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// Weights of one direction of a Gaussian of radius 4.
constant float weights[9] = { 0.028f, 0.067f, 0.124f, 0.179f, 0.204f, 0.179f, 0.124f, 0.067f, 0.028f };

kernel void blur(read_only image2d_t from, write_only image2d_t to, int dx, int dy)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int i = -4; i <= 4; ++i)
        sum += weights[i + 4] * read_imagef(from, edge, at + i * (int2)(dx, dy));
    write_imagef(to, at, sum);
}

kernel void resize(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 size = (float2)(get_global_size(0), get_global_size(1));
    write_imagef(to, at, read_imagef(from, smooth, (convert_float2(at) + 0.5f) / size));
}
