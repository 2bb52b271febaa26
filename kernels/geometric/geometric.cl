// s6.13.5: geometric functions. Lengths of floats sum in double, so neither overflow nor rounding
// of intermediates shows: length and normalize are within 0.51 ulp, distance within 1.1. Half
// versions are the float ones, rounded. Double
// versions scale by a power of two where squares would overflow or vanish: length within 1.3 ulp,
// distance within 1.5, normalize within 2.5. dot and cross, sums of rounded products, are within the
// specification's multiple of the largest components' product.

__elems(float, double) __lanes(3) gentypef cross(gentypef a, gentypef b)
{
    return a.yzx * b.zxy - a.zxy * b.yzx;
}

__elems(float, double) __lanes(4) gentypef cross(gentypef a, gentypef b)
{
    return (gentypef)(a.yzx * b.zxy - a.zxy * b.yzx, 0);
}

__elems(float, double) __lanes(1) sgentypef dot(gentypef a, gentypef b) { return a * b; }
__elems(float, double) __lanes(2) sgentypef dot(gentypef a, gentypef b)
{
    gentypef p = a * b;
    return p.x + p.y;
}
__elems(float, double) __lanes(3) sgentypef dot(gentypef a, gentypef b)
{
    gentypef p = a * b;
    return p.x + p.y + p.z;
}
__elems(float, double) __lanes(4) sgentypef dot(gentypef a, gentypef b)
{
    gentypef p = a * b;
    return (p.x + p.y) + (p.z + p.w);
}

__ext(cl_khr_fp16) __lanes(3, 4) halfn cross(halfn a, halfn b)
{
    return convert_halfn(cross(convert_floatn(a), convert_floatn(b)));
}
__ext(cl_khr_fp16) __lanes(1, 2, 3, 4) half dot(halfn a, halfn b)
{
    return (half)dot(convert_floatn(a), convert_floatn(b));
}
__ext(cl_khr_fp16) __lanes(1, 2, 3, 4) half length(halfn p) { return (half)length(convert_floatn(p)); }
__ext(cl_khr_fp16) __lanes(1, 2, 3, 4) half distance(halfn a, halfn b)
{
    return (half)distance(convert_floatn(a), convert_floatn(b));
}
__ext(cl_khr_fp16) __lanes(1, 2, 3, 4) halfn normalize(halfn p)
{
    return convert_halfn(normalize(convert_floatn(p)));
}

__lanes(1, 2, 3, 4) double __length_as_double(floatn p)
{
    doublen q = convert_doublen(p);
    return sqrt(dot(q, q));
}

__lanes(1) double __largest(doublen p) { return fabs(p); }
__lanes(2) double __largest(doublen p) { return fmax(fabs(p.x), fabs(p.y)); }
__lanes(3) double __largest(doublen p) { return fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)); }
__lanes(4) double __largest(doublen p)
{
    return fmax(fmax(fabs(p.x), fabs(p.y)), fmax(fabs(p.z), fabs(p.w)));
}

// A power of two that brings the largest component near one; 1 for zero and infinity.
__lanes(1, 2, 3, 4) double __scale_for(doublen p)
{
    double largest = __largest(p);
    double scale = largest > 0x1p+500 ? 0x1p-600 : largest < 0x1p-450 ? 0x1p+600 : 1.0;
    return largest == 0 || isinf(largest) ? 1.0 : scale;
}

__lanes(1, 2, 3, 4) float length(floatn p) { return (float)__length_as_double(p); }
__lanes(1, 2, 3, 4) double length(doublen p)
{
    double scale = __scale_for(p);
    doublen q = p * scale;
    double size = sqrt(dot(q, q)) / scale;
    return isinf(__largest(p)) ? (double)INFINITY : size;
}

__elems(float, double) __lanes(1, 2, 3, 4) sgentypef distance(gentypef a, gentypef b)
{
    return length(a - b);
}

__lanes(1, 2, 3, 4) floatn normalize(floatn p)
{
    double size = __length_as_double(p);
    // Infinite components point along their axes; the others do not count.
    if (isinf(size)) {
        p = copysign(select((floatn)0, (floatn)1, __is_infinite(p)), p);
        size = __length_as_double(p);
    }
    return size == 0 ? p : convert_floatn(convert_doublen(p) / size);
}

__lanes(1, 2, 3, 4) doublen normalize(doublen p)
{
    // Not with NaN beside them, which __largest does not see.
    double sum = dot(p, p);
    if (isinf(__largest(p)) && sum == sum) {
        p = copysign(select((doublen)0, (doublen)1, __is_infinite(p)), p);
    }
    double scale = __scale_for(p);
    doublen q = p * scale;
    double size = sqrt(dot(q, q));
    // Scaled down, small components of q may have lost bits that the result has room for.
    return size == 0 ? p : scale < 1 ? p / size * scale : q / size;
}

// Conditions of select(): one lane gives an integer as wide as the element.
__lanes(1) inttype __is_infinite(gentypef x) { return fabs(x) == (gentypef)INFINITY; }
inttype __is_infinite(vgentypef x) { return fabs(x) == (vgentypef)(sgentypef)INFINITY; }

__lanes(1, 2, 3, 4) float fast_length(floatn p) { return (float)__length_as_double(p); }
__lanes(1, 2, 3, 4) float fast_distance(floatn a, floatn b) { return fast_length(a - b); }
__lanes(1, 2, 3, 4) floatn fast_normalize(floatn p) { return normalize(p); }
