// options: -cl-std=CL2.0
// Every form of the functions that read and write, on every image type; the two coordinates mean the same texels.

#define EVERY(NAME, IMAGE, INTS, FLOATS)                                                                      \
    kernel void NAME(read_only IMAGE reads, read_write IMAGE both, read_only IMAGE ints, read_only IMAGE uints, \
                     read_write IMAGE halves, sampler_t sampler, global float4 *out)                          \
    {                                                                                                         \
        int x = get_global_id(0), y = x & 1, z = x >> 1;                                                      \
        float u = x + 0.5f, v = y + 0.5f, w = z + 0.5f;                                                       \
        float4 all = read_imagef(reads, sampler, INTS) + read_imagef(reads, sampler, FLOATS);                 \
        all = all * 8 + read_imagef(both, INTS) + read_imagef(reads, INTS);                                   \
        all += convert_float4(read_imagei(ints, sampler, INTS)) + 2 * convert_float4(read_imagei(ints, sampler, FLOATS)); \
        all += 4 * convert_float4(read_imagei(ints, INTS));                                                   \
        all += convert_float4(read_imageui(uints, sampler, INTS)) + 3 * convert_float4(read_imageui(uints, sampler, FLOATS)); \
        all += 5 * convert_float4(read_imageui(uints, INTS));                                                 \
        all += convert_float4(read_imageh(halves, INTS) + read_imageh(reads, sampler, INTS) * read_imageh(reads, sampler, FLOATS)); \
        out[x] = all;                                                                                         \
        write_imagef(both, INTS, all);                                                                        \
        write_imageh(halves, INTS, convert_half4(all * 0.25f));                                               \
    }
EVERY(line, image1d_t, (x), (u))
EVERY(lines, image1d_array_t, (int2)(x, y), (float2)(u, y))
EVERY(plane, image2d_t, (int2)(x, y), (float2)(u, v))
EVERY(planes, image2d_array_t, (int4)(x, y, z, 9), (float4)(u, v, z, 9))
EVERY(cube, image3d_t, (int4)(x, y, z, 9), (float4)(u, v, w, 9))

// run: line global=4 local=2 args: image RGBA FLOAT 4x1x1 = iota; image RG FLOAT 4x1x1 = 1 2 3 4 5 6 7 8; image RGBA SIGNED_INT8 4x1x1 = -1 -2 -3 ...; image R UNSIGNED_INT32 4x1x1 = 7 8 9 10; image RGBA HALF_FLOAT 4x1x1 = 0.5 ...; uint = 0x12; float[16] = 0
// run: lines global=4 local=2 args: image RGBA FLOAT 4x1x2 = iota; image RG FLOAT 4x1x2 = iota; image RGBA SIGNED_INT8 4x1x2 = iota; image R UNSIGNED_INT32 4x1x2 = iota; image RGBA HALF_FLOAT 4x1x2 = iota; uint = 0x12; float[16] = 0
// run: plane global=4 local=2 args: image RGBA FLOAT 4x2 = iota; image RG FLOAT 4x2 = iota; image RGBA SIGNED_INT8 4x2 = iota; image R UNSIGNED_INT32 4x2 = iota; image RGBA HALF_FLOAT 4x2 = iota; uint = 0x14; float[16] = 0
// run: planes global=4 local=2 args: image RGBA FLOAT 4x2x2 = iota; image RG FLOAT 4x2x2 = iota; image RGBA SIGNED_INT8 4x2x2 = iota; image R UNSIGNED_INT32 4x2x2 = iota; image RGBA HALF_FLOAT 4x2x2 = iota; uint = 0x12; float[16] = 0
// run: cube global=4 local=2 args: image RGBA FLOAT 4x2x2 = iota; image RG FLOAT 4x2x2 = iota; image RGBA SIGNED_INT8 4x2x2 = iota; image R UNSIGNED_INT32 4x2x2 = iota; image RGBA HALF_FLOAT 4x2x2 = iota; uint = 0x14; float[16] = 0

// Forms that only some types have.
kernel void rest(read_write image1d_buffer_t buffer, read_only image2d_depth_t depth,
                 read_only image2d_array_depth_t depths, write_only image2d_array_depth_t to, sampler_t sampler,
                 global float4 *out)
{
    int x = get_global_id(0);
    float4 all = read_imagef(buffer, x) + convert_float4(read_imageh(buffer, x));
    all.y = read_imagef(depth, (int2)(x, 0)) + 2 * read_imagef(depth, sampler, (int2)(x, 0));
    all.y += 4 * read_imagef(depth, sampler, (float2)(x + 0.5f, 0));
    int4 at = (int4)(x, 0, 1, 0);
    all.z = read_imagef(depths, at) + 2 * read_imagef(depths, sampler, at);
    all.z += 4 * read_imagef(depths, sampler, convert_float4(at) + 0.5f);
    write_imagef(to, at, all.z);
    write_imagef(buffer, x, all);
    out[x] = all;
    out[x].w += get_image_width(buffer) + get_image_width(depth) * get_image_height(depths)
              + get_image_array_size(depths) + get_image_dim(depths).y + get_image_dim(depth).x;
}

// run: rest global=2 local=1 args: image RGBA FLOAT 2x1 = iota; image DEPTH FLOAT 2x1 = 0.25 0.5; image DEPTH UNORM_INT16 2x1x2 = 0 0 65535 0; image DEPTH FLOAT 2x1x2 = 0; uint = 0x12; float[8] = 0
// expect: 0 = 0 1.75 7 6 8 3.5 0 14
// expect: 3 = 0 0 7 0
// expect: 5 = 0 1.75 7 15 8 3.5 0 23

kernel void buffers(read_only image1d_buffer_t ints, read_only image1d_buffer_t uints, write_only image1d_buffer_t to, write_only image1d_buffer_t uto)
{
    int x = get_global_id(0);
    write_imagei(to, x, read_imagei(ints, x) * 2);
    write_imageui(uto, x, read_imageui(uints, x) * 2u);
}
// run: buffers global=2 local=1 args: image R SIGNED_INT16 2x1 = -5 6; image R UNSIGNED_INT8 2x1 = 3 200; image R SIGNED_INT16 2x1 = 0; image R UNSIGNED_INT8 2x1 = 0
// expect: 2 = -10 12
// expect: 3 = 6 255
