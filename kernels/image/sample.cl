// From coordinates to texels, s8.2. A place is the number of bytes from the first texel; -1 is outside of the image,
// which only CLK_ADDRESS_CLAMP knows. Whatever the coordinates are, no place is beyond the image: modes that leave the
// result open clamp to the edge.

bool __has_border(uint sampler) { return (sampler & 0xe) == CLK_ADDRESS_CLAMP; }

// A coordinate in texels.
float __in_texels(uint sampler, float s, int size)
{
    if ((sampler & 0xe) == CLK_ADDRESS_REPEAT) return (s - floor(s)) * size;
    if ((sampler & 0xe) == CLK_ADDRESS_MIRRORED_REPEAT) return fabs(s - 2.0f * rint(0.5f * s)) * size;
    return sampler & CLK_NORMALIZED_COORDS_TRUE ? s * size : s;
}

// The texel that is meant by number `i`, which repeated coordinates miss by one at most; -1 for none.
int __wrapped(uint sampler, int i, int size)
{
    if ((sampler & 0xe) == CLK_ADDRESS_REPEAT) {
        i = i < 0 ? i + size : i;
        return i < size ? i : i - size;
    }
    if (__has_border(sampler)) return (uint)i < (uint)size ? i : -1;
    return max(min(i, size - 1), 0);
}

// The bytes before texel `i` of steps of `step` bytes; what is outside counts as the first.
long __steps(uint sampler, int i, long step)
{
    return (__has_border(sampler) ? (uint)max(i, 0) : (uint)i) * step;
}

long __place_1d(constant void *image, uint sampler, int x, long start)
{
    if (__has_border(sampler) && x < 0) return -1;
    return start + __steps(sampler, x, __image_texel_size(image));
}

long __place_2d(constant void *image, uint sampler, int x, int y, long start)
{
    if (__has_border(sampler) && (x | y) < 0) return -1;
    return start + __steps(sampler, y, __image_row_pitch(image)) + __steps(sampler, x, __image_texel_size(image));
}

long __place_3d(constant void *image, uint sampler, int x, int y, int z)
{
    if (__has_border(sampler) && z < 0) return -1;
    return __place_2d(image, sampler, x, y, __steps(sampler, z, __image_slice_pitch(image)));
}

// CLK_FILTER_NEAREST.
int __nearest(uint sampler, float s, int size)
{
    return __wrapped(sampler, (int)floor(__in_texels(sampler, s, size)), size);
}

__late long __nearest_1d(constant void *image, uint sampler, float s, long start)
{
    return __place_1d(image, sampler, __nearest(sampler, s, __image_width(image)), start);
}

__late long __nearest_2d(constant void *image, uint sampler, float2 coord, long start)
{
    int x = __nearest(sampler, coord.x, __image_width(image));
    int y = __nearest(sampler, coord.y, __image_height(image));
    return __place_2d(image, sampler, x, y, start);
}

__late long __nearest_3d(constant void *image, uint sampler, float4 coord)
{
    int x = __nearest(sampler, coord.x, __image_width(image));
    int y = __nearest(sampler, coord.y, __image_height(image));
    int z = __nearest(sampler, coord.z, __image_depth(image));
    return __place_3d(image, sampler, x, y, z);
}

// Integer coordinates: neither normalised nor repeated.
uint __exactly(uint sampler) { return __has_border(sampler) ? CLK_ADDRESS_CLAMP : CLK_ADDRESS_CLAMP_TO_EDGE; }

__late long __exact_1d(constant void *image, uint sampler, int x, long start)
{
    uint mode = __exactly(sampler);
    return __place_1d(image, mode, __wrapped(mode, x, __image_width(image)), start);
}

__late long __exact_2d(constant void *image, uint sampler, int2 coord, long start)
{
    uint mode = __exactly(sampler);
    int x = __wrapped(mode, coord.x, __image_width(image));
    int y = __wrapped(mode, coord.y, __image_height(image));
    return __place_2d(image, mode, x, y, start);
}

__late long __exact_3d(constant void *image, uint sampler, int4 coord)
{
    uint mode = __exactly(sampler);
    int x = __wrapped(mode, coord.x, __image_width(image));
    int y = __wrapped(mode, coord.y, __image_height(image));
    int z = __wrapped(mode, coord.z, __image_depth(image));
    return __place_3d(image, mode, x, y, z);
}

// Layers of arrays, s8.4: the nearest one there is.
long __layer(constant void *image, int layer)
{
    return max(min(layer, __image_depth(image) - 1), 0) * __image_slice_pitch(image);
}
long __layer(constant void *image, float layer) { return __layer(image, (int)rint(layer)); }

// The texel at a place, or the border's color.
float4 __colorf(constant void *image, uint sampler, long place)
{
    if (!__has_border(sampler)) return __texelf(image, place);
    float4 border = (float4)(0.0f, 0.0f, 0.0f, as_float(__image_border(image)));
    float4 inside = __texelf(image, max(place, 0L));
    return place < 0 ? border : inside;
}

int4 __colori(constant void *image, uint sampler, long place)
{
    if (!__has_border(sampler)) return __texeli(image, place);
    int4 border = (int4)(0, 0, 0, __image_border(image));
    int4 inside = __texeli(image, max(place, 0L));
    return place < 0 ? border : inside;
}

// CLK_FILTER_LINEAR: texels `left` and `left + 1`, the second with weight `part`.
float __linear(uint sampler, float s, int size, private int *left, private int *right)
{
    float u = __in_texels(sampler, s, size) - 0.5f;
    float first = floor(u);
    *left = __wrapped(sampler, (int)first, size);
    *right = __wrapped(sampler, (int)first + 1, size);
    return u - first;
}

float4 __blend_1d(constant void *image, uint sampler, int left, int right, float a, long start)
{
    float4 t0 = __colorf(image, sampler, __place_1d(image, sampler, left, start));
    float4 t1 = __colorf(image, sampler, __place_1d(image, sampler, right, start));
    return (1.0f - a) * t0 + a * t1;
}

float4 __blend_2d(constant void *image, uint sampler, int4 from, float a, float b, long start)
{
    float4 t00 = __colorf(image, sampler, __place_2d(image, sampler, from.x, from.z, start));
    float4 t10 = __colorf(image, sampler, __place_2d(image, sampler, from.y, from.z, start));
    float4 t01 = __colorf(image, sampler, __place_2d(image, sampler, from.x, from.w, start));
    float4 t11 = __colorf(image, sampler, __place_2d(image, sampler, from.y, from.w, start));
    float4 top = (1.0f - a) * (1.0f - b) * t00 + a * (1.0f - b) * t10;
    return top + (1.0f - a) * b * t01 + a * b * t11;
}

__late float4 __linear_1d(constant void *image, uint sampler, float s, long start)
{
    int left, right;
    float a = __linear(sampler, s, __image_width(image), &left, &right);
    return __blend_1d(image, sampler, left, right, a, start);
}

__late float4 __linear_2d(constant void *image, uint sampler, float2 coord, long start)
{
    int x0, x1, y0, y1;
    float a = __linear(sampler, coord.x, __image_width(image), &x0, &x1);
    float b = __linear(sampler, coord.y, __image_height(image), &y0, &y1);
    return __blend_2d(image, sampler, (int4)(x0, x1, y0, y1), a, b, start);
}

// A slice that is outside is all border.
float4 __slice(constant void *image, uint sampler, int4 from, float a, float b, int z)
{
    if (__has_border(sampler) && z < 0) from = -1;
    return __blend_2d(image, sampler, from, a, b, __steps(sampler, z, __image_slice_pitch(image)));
}

__late float4 __linear_3d(constant void *image, uint sampler, float4 coord)
{
    int x0, x1, y0, y1, z0, z1;
    float a = __linear(sampler, coord.x, __image_width(image), &x0, &x1);
    float b = __linear(sampler, coord.y, __image_height(image), &y0, &y1);
    float c = __linear(sampler, coord.z, __image_depth(image), &z0, &z1);
    int4 from = (int4)(x0, x1, y0, y1);
    return (1.0f - c) * __slice(image, sampler, from, a, b, z0) + c * __slice(image, sampler, from, a, b, z1);
}

// Either filter.
float4 __sample_1d(constant void *image, uint sampler, float s, long start)
{
    if (sampler & CLK_FILTER_LINEAR) return __linear_1d(image, sampler, s, start);
    return __colorf(image, sampler, __nearest_1d(image, sampler, s, start));
}

float4 __sample_2d(constant void *image, uint sampler, float2 coord, long start)
{
    if (sampler & CLK_FILTER_LINEAR) return __linear_2d(image, sampler, coord, start);
    return __colorf(image, sampler, __nearest_2d(image, sampler, coord, start));
}

float4 __sample_3d(constant void *image, uint sampler, float4 coord)
{
    if (sampler & CLK_FILTER_LINEAR) return __linear_3d(image, sampler, coord);
    return __colorf(image, sampler, __nearest_3d(image, sampler, coord));
}
