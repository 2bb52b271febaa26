// From coordinates to colors, s8.2. A place is the number of bytes from the first texel to another; whatever the
// coordinates are, it is in the image: modes that leave the result open clamp to the edge. Whether the border is meant
// is kept apart, as 0 or -1, and decided without branches.

bool __has_border(uint sampler) { return (sampler & 0xe) == CLK_ADDRESS_CLAMP; }

// A coordinate in texels.
float __in_texels(uint sampler, float s, int size)
{
    if ((sampler & 0xe) == CLK_ADDRESS_REPEAT) return (s - floor(s)) * size;
    if ((sampler & 0xe) == CLK_ADDRESS_MIRRORED_REPEAT) return fabs(s - 2.0f * rint(0.5f * s)) * size;
    return sampler & CLK_NORMALIZED_COORDS_TRUE ? s * size : s;
}

// The texel that is meant by number `i`, which repeated coordinates miss by one at most.
int __texel(uint sampler, int i, int size, private int *outside)
{
    if ((sampler & 0xe) == CLK_ADDRESS_REPEAT) {
        i += size & i >> 31;
        return i - (size & ~(i - size >> 31));
    }
    if (__has_border(sampler)) *outside |= -((uint)i >= (uint)size);
    return max(min(i, size - 1), 0);
}

int __nearest(uint sampler, float s, int size, private int *outside)
{
    return __texel(sampler, (int)floor(__in_texels(sampler, s, size)), size, outside);
}

// Integer coordinates are neither normalised nor repeated.
uint __exactly(uint sampler) { return __has_border(sampler) ? CLK_ADDRESS_CLAMP : CLK_ADDRESS_CLAMP_TO_EDGE; }

long __place(constant void *image, int x, long start) { return start + (uint)x * (long)__image_texel_size(image); }
long __row(constant void *image, int y, long start) { return start + (uint)y * __image_row_pitch(image); }
long __slice(constant void *image, int z) { return (uint)z * __image_slice_pitch(image); }

// Layers of arrays, s8.4: the nearest one there is.
long __layer(constant void *image, int layer) { return __slice(image, max(min(layer, __image_depth(image) - 1), 0)); }
long __layer(constant void *image, float layer) { return __layer(image, (int)rint(layer)); }

// The texel at a place, or the border's color.
float4 __colorf(constant void *image, uint sampler, long place, int outside)
{
    float4 color = __texelf(image, place);
    if (!__has_border(sampler)) return color;
    return select(color, (float4)(0.0f, 0.0f, 0.0f, as_float(__image_border(image))), (int4)outside);
}

int4 __colori(constant void *image, uint sampler, long place, int outside)
{
    int4 color = __texeli(image, place);
    if (!__has_border(sampler)) return color;
    return select(color, (int4)(0, 0, 0, __image_border(image)), (int4)outside);
}

// The place that coordinates mean, with CLK_FILTER_NEAREST if they are no integers.
long __place_1d(constant void *image, uint sampler, int x, long start, private int *outside)
{
    return __place(image, __texel(__exactly(sampler), x, __image_width(image), outside), start);
}
long __place_1d(constant void *image, uint sampler, float x, long start, private int *outside)
{
    return __place(image, __nearest(sampler, x, __image_width(image), outside), start);
}

long __place_2d(constant void *image, uint sampler, int2 coord, long start, private int *outside)
{
    long row = __row(image, __texel(__exactly(sampler), coord.y, __image_height(image), outside), start);
    return __place_1d(image, sampler, coord.x, row, outside);
}
long __place_2d(constant void *image, uint sampler, float2 coord, long start, private int *outside)
{
    long row = __row(image, __nearest(sampler, coord.y, __image_height(image), outside), start);
    return __place_1d(image, sampler, coord.x, row, outside);
}

long __place_3d(constant void *image, uint sampler, int4 coord, private int *outside)
{
    long slice = __slice(image, __texel(__exactly(sampler), coord.z, __image_depth(image), outside));
    return __place_2d(image, sampler, coord.xy, slice, outside);
}
long __place_3d(constant void *image, uint sampler, float4 coord, private int *outside)
{
    long slice = __slice(image, __nearest(sampler, coord.z, __image_depth(image), outside));
    return __place_2d(image, sampler, coord.xy, slice, outside);
}

// CLK_FILTER_LINEAR: a coordinate is the texel before it, and the weight of the texel behind.
float __before(uint sampler, float s, int size, private int *number)
{
    float u = __in_texels(sampler, s, size) - 0.5f;
    float first = floor(u);
    *number = (int)first;
    return u - first;
}

__late float4 __linear_1d(constant void *image, uint sampler, float s, long start)
{
    int width = __image_width(image), x, left = 0, right = 0;
    float a = __before(sampler, s, width, &x);
    long p0 = __place(image, __texel(sampler, x, width, &left), start);
    long p1 = __place(image, __texel(sampler, x + 1, width, &right), start);
    return (1.0f - a) * __colorf(image, sampler, p0, left) + a * __colorf(image, sampler, p1, right);
}

float4 __blend_row(constant void *image, uint sampler, int2 x, int2 beside, long row, int outside, float2 weight)
{
    float4 left = __colorf(image, sampler, __place(image, x.x, row), outside | beside.x);
    float4 right = __colorf(image, sampler, __place(image, x.y, row), outside | beside.y);
    return weight.x * left + weight.y * right;
}

float4 __blend_2d(constant void *image, uint sampler, float2 coord, long start, int outside)
{
    int width = __image_width(image), height = __image_height(image), x, y;
    float a = __before(sampler, coord.x, width, &x), b = __before(sampler, coord.y, height, &y);
    int left = 0, right = 0, above = outside, below = outside;
    int x0 = __texel(sampler, x, width, &left), x1 = __texel(sampler, x + 1, width, &right);
    long row0 = __row(image, __texel(sampler, y, height, &above), start);
    long row1 = __row(image, __texel(sampler, y + 1, height, &below), start);
    int2 both = (int2)(x0, x1), beside = (int2)(left, right);
    float2 weight = (float2)(1.0f - a, a);
    float4 top = __blend_row(image, sampler, both, beside, row0, above, weight * (1.0f - b));
    return top + __blend_row(image, sampler, both, beside, row1, below, weight * b);
}

__late float4 __linear_2d(constant void *image, uint sampler, float2 coord, long start)
{
    return __blend_2d(image, sampler, coord, start, 0);
}

__late float4 __linear_3d(constant void *image, uint sampler, float4 coord)
{
    int depth = __image_depth(image), z, front = 0, back = 0;
    float c = __before(sampler, coord.z, depth, &z);
    long slice0 = __slice(image, __texel(sampler, z, depth, &front));
    long slice1 = __slice(image, __texel(sampler, z + 1, depth, &back));
    float4 first = __blend_2d(image, sampler, coord.xy, slice0, front);
    return (1.0f - c) * first + c * __blend_2d(image, sampler, coord.xy, slice1, back);
}

__late float4 __read1f(constant void *image, uint sampler, int coord, long start)
{
    int outside = 0;
    long place = __place_1d(image, sampler, coord, start, &outside);
    return __colorf(image, sampler, place, outside);
}
__late float4 __nearest1f(constant void *image, uint sampler, float coord, long start)
{
    int outside = 0;
    long place = __place_1d(image, sampler, coord, start, &outside);
    return __colorf(image, sampler, place, outside);
}
float4 __read1f(constant void *image, uint sampler, float coord, long start)
{
    if (sampler & CLK_FILTER_LINEAR) return __linear_1d(image, sampler, coord, start);
    return __nearest1f(image, sampler, coord, start);
}
__late float4 __read2f(constant void *image, uint sampler, int2 coord, long start)
{
    int outside = 0;
    long place = __place_2d(image, sampler, coord, start, &outside);
    return __colorf(image, sampler, place, outside);
}
__late float4 __nearest2f(constant void *image, uint sampler, float2 coord, long start)
{
    int outside = 0;
    long place = __place_2d(image, sampler, coord, start, &outside);
    return __colorf(image, sampler, place, outside);
}
float4 __read2f(constant void *image, uint sampler, float2 coord, long start)
{
    if (sampler & CLK_FILTER_LINEAR) return __linear_2d(image, sampler, coord, start);
    return __nearest2f(image, sampler, coord, start);
}
__late float4 __read3f(constant void *image, uint sampler, int4 coord)
{
    int outside = 0;
    long place = __place_3d(image, sampler, coord, &outside);
    return __colorf(image, sampler, place, outside);
}
__late float4 __nearest3f(constant void *image, uint sampler, float4 coord)
{
    int outside = 0;
    long place = __place_3d(image, sampler, coord, &outside);
    return __colorf(image, sampler, place, outside);
}
float4 __read3f(constant void *image, uint sampler, float4 coord)
{
    if (sampler & CLK_FILTER_LINEAR) return __linear_3d(image, sampler, coord);
    return __nearest3f(image, sampler, coord);
}

__late int4 __read1i(constant void *image, uint sampler, int coord, long start)
{
    int outside = 0;
    long place = __place_1d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__late int4 __read1i(constant void *image, uint sampler, float coord, long start)
{
    int outside = 0;
    long place = __place_1d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__late int4 __read2i(constant void *image, uint sampler, int2 coord, long start)
{
    int outside = 0;
    long place = __place_2d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__late int4 __read2i(constant void *image, uint sampler, float2 coord, long start)
{
    int outside = 0;
    long place = __place_2d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__late int4 __read3i(constant void *image, uint sampler, int4 coord)
{
    int outside = 0;
    long place = __place_3d(image, sampler, coord, &outside);
    return __colori(image, sampler, place, outside);
}
__late int4 __read3i(constant void *image, uint sampler, float4 coord)
{
    int outside = 0;
    long place = __place_3d(image, sampler, coord, &outside);
    return __colori(image, sampler, place, outside);
}
