// Rotation of an image about its center, with linear filtering.
kernel void turn(read_only image2d_t image, sampler_t smooth, global float4 *out, float sine, float cosine)
{
    int x = get_global_id(0), y = get_global_id(1);
    int2 size = get_image_dim(image);
    float2 middle = convert_float2(size) * 0.5f;
    float2 from = (float2)(x + 0.5f, y + 0.5f) - middle;
    float2 at = (float2)(cosine * from.x - sine * from.y, sine * from.x + cosine * from.y) + middle;
    out[y * size.x + x] = read_imagef(image, smooth, at);
}
