// Every way to read a 2D image of floats.

// run: plain global=4,2 local=2,2 args: image RGBA FLOAT 4x2 = iota; float[32] = 0
// expect: 1 = iota
kernel void plain(read_only image2d_t image, global float4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 4 + x] = read_imagef(image, (int2)(x, y));
}

// Border, edges: 20 is clamp, nearest; 18 clamp to edge, nearest.
// run: around global=4,3 local=1 args: image R FLOAT 2x1 = 5 6; uint = 20; float[48] = 7 ...
// expect: 2 = 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 5 0 0 1 6 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1
// run: around global=4,3 local=1 args: image R FLOAT 2x1 = 5 6; uint = 18; float[48] = 7 ...
// expect: 2 = 5 0 0 1 5 0 0 1 6 0 0 1 6 0 0 1 5 0 0 1 5 0 0 1 6 0 0 1 6 0 0 1 5 0 0 1 5 0 0 1 6 0 0 1 6 0 0 1
kernel void around(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 4 + x] = read_imagef(image, sampler, (int2)(x - 1, y - 1));
}

// Linear, at the middle between texels; 36 is clamp, 34 clamp to edge, unnormalized.
// run: blend global=3 local=1 args: image R FLOAT 2x1 = 2 6; uint = 34; float[12] = 0
// expect: 2 = 2 0 0 1 4 0 0 1 6 0 0 1
// run: blend global=3 local=1 args: image R FLOAT 2x1 = 2 6; uint = 36; float[12] = 0
// expect: 2 = 1 0 0 1 4 0 0 1 3 0 0 1
kernel void blend(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    int x = get_global_id(0);
    out[x] = read_imagef(image, sampler, (float2)(x, 0.5f));
}

constant sampler_t file_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

// run: repeated global=8 local=4 args: image RGBA FLOAT 2x2 = iota; float[32] = 0
// expect: 1 = 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7
kernel void repeated(read_only image2d_t image, global float4 *out)
{
    int x = get_global_id(0);
    out[x] = read_imagef(image, file_sampler, (float2)((x - 4 + 0.5f) / 2, 1.25f));
}

// run: mirrored global=8 local=4 args: image RGBA FLOAT 2x2 = iota; float[32] = 0
// expect: 1 = 8 9 10 11 12 13 14 15 12 13 14 15 8 9 10 11 8 9 10 11 12 13 14 15 12 13 14 15 8 9 10 11
kernel void mirrored(read_only image2d_t image, global float4 *out)
{
    const sampler_t sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
    int x = get_global_id(0);
    out[x] = read_imagef(image, sampler, (float2)((x - 4 + 0.5f) / 2, 1.25f));
}
