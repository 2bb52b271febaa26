// Writes to images of all types, inside and outside, and what images tell of themselves.
// options: -cl-std=CL2.0

// run: rows global=6 local=2 args: image R UNSIGNED_INT8 4x1 = 9
// expect: 0 = 1 2 3 4
kernel void rows(write_only image1d_t image)
{
    int x = get_global_id(0);
    write_imageui(image, x - 1, (uint4)(x));
}

// run: layers global=4,4 local=2,2 args: image R SIGNED_INT16 2x1x2 = 9
// expect: 0 = 11 12 21 22
kernel void layers(write_only image1d_array_t image)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagei(image, (int2)(x - 1, y - 1), (int4)(y * 10 + x));
}

// run: planes global=4,4,4 local=1 args: image R UNSIGNED_INT32 2x2x2 pitch 12 = 9 ...
// expect: 0 = 111 112 9 121 122 9 211 212 9 221 222 9
kernel void planes(write_only image2d_array_t image)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    write_imageui(image, (int4)(x - 1, y - 1, z - 1, 0), (uint4)(z * 100 + y * 10 + x));
}

// run: cube global=4,4,4 local=1 args: image R UNSIGNED_INT32 2x2x2 = 9 ...
// expect: 0 = 111 112 121 122 211 212 221 222
kernel void cube(write_only image3d_t image)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    write_imageui(image, (int4)(x - 1, y - 1, z - 1, 0), (uint4)(z * 100 + y * 10 + x));
}

// run: buffered global=5 local=1 args: image RGBA FLOAT 3x1 = 9 ...
// expect: 0 = 1 2 3 4 2 4 6 8 3 6 9 12
kernel void buffered(write_only image1d_buffer_t image)
{
    int x = get_global_id(0);
    write_imagef(image, x - 1, (float4)(1, 2, 3, 4) * x);
}

// run: depth global=2 local=1 args: image DEPTH UNORM_INT16 2x1 = 0
// expect: 0 = 0 65535
kernel void depth(write_only image2d_depth_t image) { write_imagef(image, (int2)(get_global_id(0), 0), get_global_id(0)); }

// Each item reads what it wrote itself.
// run: both global=4 local=4 args: image RGBA UNSIGNED_INT8 4x1 = iota
// expect: 0 = 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32
kernel void both(read_write image2d_t image)
{
    int2 at = (int2)(get_global_id(0), 0);
    write_imageui(image, at, read_imageui(image, at) + 1);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imageui(image, at, read_imageui(image, at) * 2);
}

// run: halves global=2 local=1 args: image RGBA HALF_FLOAT 2x1 = 1 2 3 4 5 6 7 8; image RGBA FLOAT 2x1 = 0
// expect: 1 = 2 4 6 8 10 12 14 16
kernel void halves(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), 0);
    write_imageh(to, at, read_imageh(from, at) * (half)2);
}

// run: sizes global=1 local=1 args: image BGRA UNORM_INT8 5x6x7 = 0; image R FLOAT 8x1x9 = 0; image RG HALF_FLOAT 3x4 = 0; int[14] = 0
// expect: 3 = 5 6 7 4278 4306 8 9 3 4 4275 4317 5 7 0
kernel void sizes(read_only image3d_t cube, write_only image1d_array_t rows, read_write image2d_t plane, global int *out)
{
    out[0] = get_image_width(cube);
    out[1] = get_image_height(cube);
    out[2] = get_image_depth(cube);
    out[3] = get_image_channel_order(cube);
    out[4] = get_image_channel_data_type(cube);
    out[5] = get_image_width(rows);
    out[6] = get_image_array_size(rows);
    out[7] = get_image_dim(plane).x;
    out[8] = get_image_dim(plane).y;
    out[9] = get_image_channel_order(plane) + 1;
    out[10] = get_image_channel_data_type(plane);
    int4 dim = get_image_dim(cube);
    out[11] = dim.x;
    out[12] = dim.z;
    out[13] = dim.w;
}

// Images and samplers through functions, and across a barrier.
float4 twice(read_only image2d_t image, sampler_t sampler, int2 at) { return 2.0f * read_imagef(image, sampler, at); }
__attribute__((noinline)) float4 apart(read_only image2d_t image, sampler_t sampler, int2 at)
{
    return read_imagef(image, sampler, at);
}

// run: passed global=4 local=4 args: image RGBA FLOAT 4x1 = iota; uint = 20; float[16] = 0
// expect: 2 = 36 39 42 45 24 27 30 33 12 15 18 21 0 3 6 9
kernel void passed(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    local float4 row[4];
    int x = get_global_id(0);
    row[x] = twice(image, sampler, (int2)(x, 0)) ;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = 3 - x;
    out[x] = row[other] + apart(image, sampler, (int2)(other, 0)) - (float4)(0);
}
