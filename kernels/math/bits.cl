// s6.13.2: functions on the parts of a number, by their bits and by scaling with powers of two.
// All are exact; ldexp is correctly rounded.

__outlined double __ldexp_far(double x, int k)
{
    // Down in a step that keeps the last multiplication the only one that rounds.
    double v = x;
    int n = clamp(k, -4400, 4400);
    for (int i = 0; i < 4; i++) {
        int down = n < -1022;
        int up = n > 1023;
        v = down ? v * 0x1p-969 : up ? v * 0x1p+1023 : v;
        n = down ? n + 969 : up ? n - 1023 : n;
    }
    n = clamp(n, -1022, 1023);
    return v * __pow2(n);
}

__ext(cl_khr_fp64) __each doublen ldexp(doublen x, intn k)
{
    if ((uint)k + 1022 > 2045)
        return __ldexp_far(x, k);
    return x * __pow2(k);
}

// Exact in double; rounded by the conversion.
__outlined float __ldexp_far(float x, int k) { return (float)((double)x * __pow2(clamp(k, -500, 500))); }

__each floatn ldexp(floatn x, intn k)
{
    float v = x * as_float((k + 127) << 23);
    if ((uint)k + 126 > 253)
        v = __ldexp_far(x, k);
    return v;
}

__lanes(2, 3, 4, 8, 16) floatn ldexp(floatn x, int k) { return ldexp(x, (intn)k); }
__ext(cl_khr_fp64) __lanes(2, 3, 4, 8, 16) doublen ldexp(doublen x, int k)
{
    return ldexp(x, (intn)k);
}

// Bits of the size of x, brought up if it is subnormal, and the exponent of one in them.
int __size_bits(float x, private int *one)
{
    float size = fabs(x);
    *one = 127;
    if (size < 0x1p-126f) {
        size *= 0x1p+24f;
        *one = 127 + 24;
    }
    return as_int(size);
}

// Zero, infinity or NaN, by these bits.
int __has_no_exponent(int bits) { return (uint)(bits - 0x00800000) >= 0x7f000000; }

int __ilogb_edge(float x)
{
    int one;
    int bits = __size_bits(x, &one);
    int v = (bits >> 23) - one;
    v = bits >= 0x7f800000 ? INT_MAX : v;
    v = x != x ? FP_ILOGBNAN : v;
    return x == 0.0f ? FP_ILOGB0 : v;
}

__each intn ilogb(floatn x)
{
    int biased = (as_int(x) & 0x7fffffff) >> 23;
    int v = biased - 127;
    // Zero, subnormal, infinite or NaN.
    if ((uint)(biased - 1) >= 254)
        v = __ilogb_edge(x);
    return v;
}

__each floatn logb(floatn x)
{
    int one;
    int bits = __size_bits(x, &one);
    if (__has_no_exponent(bits))
        return x == 0 ? -(float)INFINITY : x * x;
    return (float)((int)(bits >> 23) - one);
}

__each floatn frexp(floatn x, __any intn *exponent)
{
    int one;
    int bits = __size_bits(x, &one);
    int none = __has_no_exponent(bits);
    float mantissa = as_float((bits & 0x7fffff) | 0x3f000000);
    *exponent = none ? 0 : (int)(bits >> 23) - one + 1;
    return none ? x : copysign(mantissa, x);
}

__each floatn modf(floatn x, __any floatn *whole)
{
    float w = trunc(x);
    *whole = w;
    float rest = fabs(x) == (float)INFINITY ? 0 : x - w;
    return copysign(rest, x);
}

__each floatn fract(floatn x, __any floatn *whole)
{
    float w = floor(x);
    *whole = w;
    float rest = fmin(x - w, 0x1.fffffep-1f);
    rest = fabs(x) == (float)INFINITY ? copysign((float)0, x) : rest;
    return x != x || x == 0 ? x : rest;
}

__each floatn nextafter(floatn x, floatn y)
{
    // The bits of a size order like the numbers. Zero takes the sign of y, so that it has no number before it.
    int bits = as_int(x);
    int like = (bits & 0x7fffffff) == 0 ? as_int(y) : bits;
    bits = (bits & 0x7fffffff) | (like & (int)0x80000000);
    int up = like >> 31 | 1;
    float other = x == x ? y : x;
    float v = x > y ? as_float(bits - up) : other;
    return x < y ? as_float(bits + up) : v;
}

// Bits of the size of x, brought up if it is subnormal, and the exponent of one in them.
long __size_bits(double x, private int *one)
{
    double size = fabs(x);
    *one = 1023;
    if (size < 0x1p-1022) {
        size *= 0x1p+54;
        *one = 1023 + 54;
    }
    return as_long(size);
}

// Zero, infinity or NaN, by these bits.
int __has_no_exponent(long bits) { return (ulong)(bits - 0x0010000000000000) >= 0x7fe0000000000000; }

int __ilogb_edge(double x)
{
    int one;
    long bits = __size_bits(x, &one);
    int v = (int)(bits >> 52) - one;
    v = bits >= 0x7ff0000000000000 ? INT_MAX : v;
    v = x != x ? FP_ILOGBNAN : v;
    return x == 0.0 ? FP_ILOGB0 : v;
}

__ext(cl_khr_fp64) __each intn ilogb(doublen x)
{
    int biased = (int)(as_ulong(x) >> 52) & 0x7ff;
    int v = biased - 1023;
    // Zero, subnormal, infinite or NaN.
    if ((uint)(biased - 1) >= 2046)
        v = __ilogb_edge(x);
    return v;
}

__ext(cl_khr_fp64) __each doublen logb(doublen x)
{
    int one;
    long bits = __size_bits(x, &one);
    if (__has_no_exponent(bits))
        return x == 0 ? -(double)INFINITY : x * x;
    return (double)((int)(bits >> 52) - one);
}

__ext(cl_khr_fp64) __each doublen frexp(doublen x, __any intn *exponent)
{
    int one;
    long bits = __size_bits(x, &one);
    int none = __has_no_exponent(bits);
    double mantissa = as_double((bits & 0xfffffffffffff) | 0x3fe0000000000000);
    *exponent = none ? 0 : (int)(bits >> 52) - one + 1;
    return none ? x : copysign(mantissa, x);
}

__ext(cl_khr_fp64) __each doublen modf(doublen x, __any doublen *whole)
{
    double w = trunc(x);
    *whole = w;
    double rest = fabs(x) == (double)INFINITY ? 0 : x - w;
    return copysign(rest, x);
}

__ext(cl_khr_fp64) __each doublen fract(doublen x, __any doublen *whole)
{
    double w = floor(x);
    *whole = w;
    double rest = fmin(x - w, 0x1.fffffffffffffp-1);
    rest = fabs(x) == (double)INFINITY ? copysign((double)0, x) : rest;
    return x != x || x == 0 ? x : rest;
}

__ext(cl_khr_fp64) __each doublen nextafter(doublen x, doublen y)
{
    // As for floats.
    long bits = as_long(x);
    long like = (bits & 0x7fffffffffffffff) == 0 ? as_long(y) : bits;
    bits = (bits & 0x7fffffffffffffff) | (like & (long)0x8000000000000000);
    long up = like >> 63 | 1;
    double other = x == x ? y : x;
    double v = x > y ? as_double(bits - up) : other;
    return x < y ? as_double(bits + up) : v;
}
