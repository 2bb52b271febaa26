// s6.13.2: functions on the parts of a number, by their bits and by scaling with powers of two.
// All are exact; ldexp is correctly rounded.

__cold double __ldexp_far(double x, int k)
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

__each floatn ldexp(floatn x, intn k)
{
    // Exact in double; rounded by the conversion.
    return (float)((double)x * __pow2(clamp(k, -500, 500)));
}

__lanes(2, 3, 4, 8, 16) floatn ldexp(floatn x, int k) { return ldexp(x, (intn)k); }
__ext(cl_khr_fp64) __lanes(2, 3, 4, 8, 16) doublen ldexp(doublen x, int k)
{
    return ldexp(x, (intn)k);
}

// The exponent of a finite x that is not zero.
int __exponent(float x)
{
    float size = fabs(x);
    int small = size < 0x1p-126f;
    int b = as_int(small ? size * 0x1p+24f : size);
    return (int)(b >> 23) - 127 - (small ? 24 : 0);
}

__each intn ilogb(floatn x)
{
    int v = __exponent(x);
    v = x == 0 ? FP_ILOGB0 : v;
    v = fabs(x) == (float)INFINITY ? INT_MAX : v;
    return x != x ? FP_ILOGBNAN : v;
}

__each floatn logb(floatn x)
{
    float v = __exponent(x);
    v = x == 0 ? -(float)INFINITY : v;
    v = fabs(x) == (float)INFINITY ? (float)INFINITY : v;
    return x != x ? x : v;
}

__each floatn frexp(floatn x, __any intn *exponent)
{
    int plain = x == 0 || !(fabs(x) < (float)INFINITY);
    int e = __exponent(x) + 1;
    float size = fabs(x);
    int b = as_int(size < 0x1p-126f ? size * 0x1p+24f : size);
    float mantissa = as_float((b & 0x7fffff) | (int)126 << 23);
    *exponent = plain ? 0 : e;
    return plain ? x : copysign(mantissa, x);
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
    // As integers that order like the numbers.
    int a = as_int(x);
    int b = as_int(y);
    int low = (int)1 << 31;
    a = a < 0 ? low - a : a;
    b = b < 0 ? low - b : b;
    a = a < b ? a + 1 : a > b ? a - 1 : a;
    a = a < 0 ? low - a : a;
    // Down to zero the sign stays.
    float v = a == 0 ? copysign((float)0, x) : as_float(a);
    return x != x || y != y ? x + y : x == y ? y : v;
}

// The exponent of a finite x that is not zero.
int __exponent(double x)
{
    double size = fabs(x);
    int small = size < 0x1p-1022;
    long b = as_long(small ? size * 0x1p+54 : size);
    return (int)(b >> 52) - 1023 - (small ? 54 : 0);
}

__ext(cl_khr_fp64) __each intn ilogb(doublen x)
{
    int v = __exponent(x);
    v = x == 0 ? FP_ILOGB0 : v;
    v = fabs(x) == (double)INFINITY ? INT_MAX : v;
    return x != x ? FP_ILOGBNAN : v;
}

__ext(cl_khr_fp64) __each doublen logb(doublen x)
{
    double v = __exponent(x);
    v = x == 0 ? -(double)INFINITY : v;
    v = fabs(x) == (double)INFINITY ? (double)INFINITY : v;
    return x != x ? x : v;
}

__ext(cl_khr_fp64) __each doublen frexp(doublen x, __any intn *exponent)
{
    int plain = x == 0 || !(fabs(x) < (double)INFINITY);
    int e = __exponent(x) + 1;
    double size = fabs(x);
    long b = as_long(size < 0x1p-1022 ? size * 0x1p+54 : size);
    double mantissa = as_double((b & 0xfffffffffffffL) | (long)1022 << 52);
    *exponent = plain ? 0 : e;
    return plain ? x : copysign(mantissa, x);
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
    // As integers that order like the numbers.
    long a = as_long(x);
    long b = as_long(y);
    long low = (long)1 << 63;
    a = a < 0 ? low - a : a;
    b = b < 0 ? low - b : b;
    a = a < b ? a + 1 : a > b ? a - 1 : a;
    a = a < 0 ? low - a : a;
    // Down to zero the sign stays.
    double v = a == 0 ? copysign((double)0, x) : as_double(a);
    return x != x || y != y ? x + y : x == y ? y : v;
}
