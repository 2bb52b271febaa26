// From coordinates to colors, s8.2. A place is the number of bytes from the first texel to another. Texels outside are
// those at the edge where the mode leaves the result open, and never loaded where it means the border: whether it does
// is kept apart from the place. One branch, which nearly always goes the same way, is cheaper than a select per
// component.

bool __has_border(uint sampler) { return (sampler & 0xe) == CLK_ADDRESS_CLAMP; }

// Coordinates in texels.
__lanes(1, 4) floatn __in_texels(uint sampler, floatn s, intn size)
{
    if ((sampler & 0xe) == CLK_ADDRESS_REPEAT) return (s - floor(s)) * convert_floatn(size);
    if ((sampler & 0xe) == CLK_ADDRESS_MIRRORED_REPEAT)
        return fabs(s - 2.0f * rint(0.5f * s)) * convert_floatn(size);
    if (sampler & CLK_NORMALIZED_COORDS_TRUE) return s * convert_floatn(size);
    return s;
}

// The texel that is meant by number `i`, which repeated coordinates miss by one at most.
int __texel(uint sampler, int i, int size, private int *outside)
{
    if ((sampler & 0xe) == CLK_ADDRESS_REPEAT) {
        i += size & i >> 31;
        return i - (size & ~(i - size >> 31));
    }
    if (__has_border(sampler)) {
        *outside |= (uint)i >= (uint)size;
        return i;
    }
    return max(min(i, size - 1), 0);
}

int __nearest(uint sampler, float s, int size, private int *outside)
{
    return __texel(sampler, (int)floor(__in_texels(sampler, s, size)), size, outside);
}

// Integer coordinates are neither normalized nor repeated.
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
    if (__has_border(sampler) && outside) return (float4)(0.0f, 0.0f, 0.0f, as_float(__image_border(image)));
    return __texelf(image, place);
}

int4 __colori(constant void *image, uint sampler, long place, int outside)
{
    if (__has_border(sampler) && outside) return (int4)(0, 0, 0, __image_border(image));
    return __texeli(image, place);
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
__lanes(1, 4) floatn __before(uint sampler, floatn s, intn size, private floatn *number)
{
    floatn u = __in_texels(sampler, s, size) - 0.5f;
    *number = floor(u);
    return u - *number;
}

float __before(uint sampler, float s, int size, private int *number)
{
    float first, weight = __before(sampler, s, size, &first);
    *number = (int)first;
    return weight;
}

__deferred float4 __linear_1d(constant void *image, uint sampler, float s, long start)
{
    int width = __image_width(image), x, left = 0, right = 0;
    float a = __before(sampler, s, width, &x);
    long p0 = __place(image, __texel(sampler, x, width, &left), start);
    long p1 = __place(image, __texel(sampler, x + 1, width, &right), start);
    return mad((float4)a, __colorf(image, sampler, p1, right), (1.0f - a) * __colorf(image, sampler, p0, left));
}

// A coordinate of a texel and of the one behind, times the bytes between neighbors; neither means the border.
long __step(uint sampler, int i, int size, long pitch, private long *next)
{
    int outside;
    long first = (uint)__texel(sampler, i, size, &outside) * pitch;
    *next = (uint)__texel(sampler, i + 1, size, &outside) * pitch - first;
    return first;
}

// Four raw texels of a slice, none of which is the border's. They are added in the order in which they are loaded, which
// saves registers.
float4 __four(constant void *image, long place, long right, long down, float2 top, float2 bottom)
{
    return mad((float4)top.x, __raw(image, place),
               mad((float4)top.y, __raw(image, place + right),
                   mad((float4)bottom.x, __raw(image, place + down),
                       (float4)bottom.y * __raw(image, place + down + right))));
}

// Four texels of a slice that may be the border's, in little code: sums start from -0.0f, which adds nothing to anything.
float4 __bordered_2d(constant void *image, uint sampler, int2 at, float2 weight, float b, long start, int outside)
{
    int width = __image_width(image), height = __image_height(image), left = 0, right = 0;
    long x0 = __place(image, __texel(sampler, at.x, width, &left), 0);
    long x1 = __place(image, __texel(sampler, at.x + 1, width, &right), 0);
    float4 sum = -0.0f;
    for (int i = 0; i < 2; ++i) {
        int beside = outside;
        long row = __row(image, __texel(sampler, at.y + i, height, &beside), start);
        float2 share = weight * (i ? b : 1.0f - b);
        sum = mad((float4)share.x, __colorf(image, sampler, row + x0, beside | left), sum);
        sum = mad((float4)share.y, __colorf(image, sampler, row + x1, beside | right), sum);
    }
    return sum;
}

__deferred float4 __linear_2d(constant void *image, uint sampler, float2 coord, long start)
{
    int width = __image_width(image), height = __image_height(image), x, y;
    float a = __before(sampler, coord.x, width, &x), b = __before(sampler, coord.y, height, &y);
    float2 weight = (float2)(1.0f - a, a);
    long right = __image_texel_size(image), down = __image_row_pitch(image), place;
    if ((uint)x < (uint)(width - 1) & (uint)y < (uint)(height - 1))
        place = start + (uint)y * down + (uint)x * right;
    else if (__has_border(sampler))
        return __bordered_2d(image, sampler, (int2)(x, y), weight, b, start, 0);
    else
        place = start + __step(sampler, y, height, down, &down) + __step(sampler, x, width, right, &right);
    return __four(image, place, right, down, weight * (1.0f - b), weight * b) * __image_scale(image);
}

__deferred float4 __linear_3d(constant void *image, uint sampler, float4 coord)
{
    int4 size = (int4)(__image_width(image), __image_height(image), __image_depth(image), 1);
    float4 first, share = __before(sampler, coord, size, &first), rest = 1.0f - share;
    float2 weight = (float2)(rest.x, share.x);
    long right = __image_texel_size(image), down = __image_row_pitch(image), behind = __image_slice_pitch(image), place;
    if ((__movemask(first >= 0.0f & first < convert_float4(size - 1)) & 7) == 7) {
        // Adding 2^23 leaves a number in the low bits: one instruction instead of a conversion that saturates.
        int4 bits = as_int4(first + 0x1p23f);
        uint x = bits.x & 0x7fffff, y = bits.y & 0x7fffff, z = bits.z & 0x7fffff;
        place = z * behind + y * down + x * right;
    } else if (__has_border(sampler)) {
        int4 at = convert_int4(first);
        float4 sum = -0.0f;
        for (int i = 0; i < 2; ++i) {
            int outside = 0;
            long slice = __slice(image, __texel(sampler, at.z + i, size.z, &outside));
            float4 color = __bordered_2d(image, sampler, at.xy, weight, share.y, slice, outside);
            sum = mad((float4)(i ? share.z : rest.z), color, sum);
        }
        return sum;
    } else {
        int4 at = convert_int4(first);
        place = __step(sampler, at.z, size.z, behind, &behind);
        place += __step(sampler, at.y, size.y, down, &down);
        place += __step(sampler, at.x, size.x, right, &right);
    }
    float2 top = weight * rest.y, bottom = weight * share.y;
    float4 front = __four(image, place, right, down, top, bottom);
    return mad(rest.zzzz, front, share.zzzz * __four(image, place + behind, right, down, top, bottom))
         * __image_scale(image);
}

__deferred float4 __read1f(constant void *image, uint sampler, int coord, long start)
{
    int outside = 0;
    long place = __place_1d(image, sampler, coord, start, &outside);
    return __colorf(image, sampler, place, outside);
}
__deferred float4 __nearest1f(constant void *image, uint sampler, float coord, long start)
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
__deferred float4 __read2f(constant void *image, uint sampler, int2 coord, long start)
{
    int outside = 0;
    long place = __place_2d(image, sampler, coord, start, &outside);
    return __colorf(image, sampler, place, outside);
}
__deferred float4 __nearest2f(constant void *image, uint sampler, float2 coord, long start)
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
__deferred float4 __read3f(constant void *image, uint sampler, int4 coord)
{
    int outside = 0;
    long place = __place_3d(image, sampler, coord, &outside);
    return __colorf(image, sampler, place, outside);
}
__deferred float4 __nearest3f(constant void *image, uint sampler, float4 coord)
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

__deferred int4 __read1i(constant void *image, uint sampler, int coord, long start)
{
    int outside = 0;
    long place = __place_1d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__deferred int4 __read1i(constant void *image, uint sampler, float coord, long start)
{
    int outside = 0;
    long place = __place_1d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__deferred int4 __read2i(constant void *image, uint sampler, int2 coord, long start)
{
    int outside = 0;
    long place = __place_2d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__deferred int4 __read2i(constant void *image, uint sampler, float2 coord, long start)
{
    int outside = 0;
    long place = __place_2d(image, sampler, coord, start, &outside);
    return __colori(image, sampler, place, outside);
}
__deferred int4 __read3i(constant void *image, uint sampler, int4 coord)
{
    int outside = 0;
    long place = __place_3d(image, sampler, coord, &outside);
    return __colori(image, sampler, place, outside);
}
__deferred int4 __read3i(constant void *image, uint sampler, float4 coord)
{
    int outside = 0;
    long place = __place_3d(image, sampler, coord, &outside);
    return __colori(image, sampler, place, outside);
}
