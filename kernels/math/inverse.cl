// s6.13.2: inverse trigonometric functions. Versions for double: atan of t = n / d in [0, 1] goes to (t
// - 1) / (t + 1) = (n - d) / (n + d) above tan(pi/8), with one division; asin above 1/2 to the square
// root of (1 - x) / 2. Minimax polynomials (derive.py). Versions for float, in single precision: atan
// of [0, 1] by one polynomial and one division; asin as for double; the *pi forms by polynomials of
// their own (derive.sollya).
//
// Bounds: double versions: acos within 1.2 ulp, asin and atan within 2.1, atan2 within 2.4, the *pi
// forms within 3; float versions: asin within 1.82, acos 1.31, atan 1.50, atan2 1.50, asinpi 1.76,
// acospi 1.57, atanpi 1.57, atan2pi 1.80.

double __atan_series(double u)
{
    double z = u * u;
    double zz = z * z;
    double p = fma(-0x1.1239ab4befeccp-5, zz, -0x1.ab7df31a5cc12p-5);
    p = fma(p, zz, -0x1.110c745eff485p-4);
    p = fma(p, zz, -0x1.745d14bb9f4abp-4);
    p = fma(p, zz, -0x1.2492492475989p-3);
    double odd = fma(0x1.f1ec9e97cc17fp-7, zz, 0x1.70ee92bee93d1p-5);
    odd = fma(odd, zz, 0x1.e17217ccd8e25p-5);
    odd = fma(odd, zz, 0x1.3b136e500c69dp-4);
    odd = fma(odd, zz, 0x1.c71c71b75b1e2p-4);
    p = fma(odd, z, p);
    p = fma(p, z, 0x1.9999999999652p-3);
    p = fma(p, z, -0x1.5555555555554p-2);
    return fma(u * z, p, u);
}

// The angle of (x, y); sizes are those of x and y, or in their proportion, not both zero, and their
// sum is finite. Its multiple of pi/4 and the sign of the rest are found on the way.
double __angle(double size_y, double size_x, double y, double x)
{
    int is_steep = size_y > size_x;
    double num = is_steep ? size_x : size_y;
    double den = is_steep ? size_y : size_x;
    int is_far = num > den * 0x1.a827999fcef32p-2;
    double a = __atan_series((is_far ? num - den : num) / (is_far ? num + den : den));
    double high = is_far ? 0x1.921fb54442d18p-1 : is_steep ? 0x1.921fb54442d18p+0 : 0.0;
    double sign = is_steep ? -1.0 : 1.0;
    if (as_long(x) < 0) {
        // Exact: the last bits of pi are zeros.
        sign = -sign;
        high = 0x1.921fb54442d18p+1 - high;
    }
    // What multiples of pi lack is in proportion to them.
    return copysign(high + fma(sign, a, high * 0x1.678afae35cdd1p-55), y);
}

double __atan(double x)
{
    double size = fabs(x);
    // From tan(pi/8) on beside pi/4, from tan(3 pi/8) on beside pi/2.
    int is_far = size > 0x1.a827999fcef32p-2;
    int is_steep = size > 0x1.3504f333f9de6p+1;
    double num = is_far ? size - 1.0 : size;
    double den = is_far ? size + 1.0 : 1.0;
    double high = is_far ? 0x1.921fb54442d18p-1 : 0.0;
    num = is_steep ? -1.0 : num;
    den = is_steep ? size : den;
    high = is_steep ? 0x1.921fb54442d18p+0 : high;
    // What multiples of pi lack is in proportion to them.
    return copysign(high + fma(high, 0x1.678afae35cdd1p-55, __atan_series(num / den)), x);
}

// Zero and zero, what is too large to be added, and what is too small for a part of it to be one.
__outlined double __angle_edge(double y, double x)
{
    double size_y = fabs(y);
    double size_x = fabs(x);
    double infinity = INFINITY;
    int no_size = (size_y == 0.0) & (size_x == 0.0);
    int infinite = (size_y == infinity) | (size_x == infinity);
    double scale = size_y > 1.0 || size_x > 1.0 ? 0x1p-60 : 0x1p+60;
    size_y = infinite ? (size_y == infinity ? 1.0 : 0.0) : scale * size_y;
    size_x = infinite ? (size_x == infinity ? 1.0 : 0.0) : no_size ? 1.0 : scale * size_x;
    return x != x || y != y ? x + y : __angle(size_y, size_x, y, x);
}

double __atan2(double y, double x)
{
    double size_y = fabs(y);
    double size_x = fabs(x);
    double large = size_y > size_x ? size_y : size_x;
    // One comparison: from 2^-960 to 2^1020.
    if (as_ulong(large) - 0x03f0000000000000 >= 0x7bc0000000000000)
        return __angle_edge(y, x);
    return __angle(size_y, size_x, y, x);
}

// x + x z B(z), z = x^2
double __asin_series(double x, double z)
{
    double zz = z * z;
    double p = fma(0x1.0be5975a1d53dp-5, zz, 0x1.6505332349f9ep-6);
    p = fma(p, zz, 0x1.618b915663bc1p-7);
    p = fma(p, zz, 0x1.ca214a169391cp-7);
    p = fma(p, zz, 0x1.6e8bdfeb0cfe2p-6);
    p = fma(p, zz, 0x1.6db6db722bff1p-5);
    double odd = fma(-0x1.59faa80707e73p-6, zz, 0x1.e14fbfcea6372p-9);
    odd = fma(odd, zz, 0x1.757762af06b62p-7);
    odd = fma(odd, zz, 0x1.1c49ddbbb5279p-6);
    odd = fma(odd, zz, 0x1.f1c71a8b6d261p-6);
    p = fma(odd, z, p);
    p = fma(p, z, 0x1.333333332df05p-4);
    p = fma(p, z, 0x1.5555555555578p-3);
    return fma(x * z, p, x);
}

double __asin(double x)
{
    double size = fabs(x);
    double root = size;
    double z = x * x;
    double sign = 1.0;
    double high = 0.0;
    double low = 0.0;
    if (size > 0.5) {
        z = 0.5 - 0.5 * size;
        root = sqrt(z);
        sign = -2.0;
        high = 0x1.921fb54442d18p+0;
        low = 0x1.1a62633145c07p-54;
    }
    return copysign(high + fma(sign, __asin_series(root, z), low), x);
}

// A multiple of pi/2, plus or minus asin(x), or 2 asin of the root of (1 - |x|) / 2.
double __acos(double x)
{
    double size = fabs(x);
    int is_large = size > 0.5;
    double z = is_large ? 0.5 - 0.5 * size : x * x;
    double root = is_large ? 2.0 * sqrt(z) : size;
    // Minus if x is negative or not large, plus if it is both.
    ulong sign = (as_ulong(x) ^ (is_large ? 0 : 0x8000000000000000)) & 0x8000000000000000;
    double a = as_double(as_ulong(__asin_series(root, z)) ^ sign);
    double high = as_long(x) < 0 ? 0x1.921fb54442d18p+1 : 0.0;
    high = is_large ? high : 0x1.921fb54442d18p+0;
    // What multiples of pi lack is in proportion to them.
    return high + fma(high, 0x1.678afae35cdd1p-55, a);
}

// x / pi
double __over_pi(double x)
{
    double p = x * 0x1.45f306dc9c883p-2;
    double low = fma(x, 0x1.45f306dc9c883p-2, -p);
    // What vanishes keeps its sign.
    return copysign(p + fma(x, -0x1.6b01ec5417056p-56, low), x);
}

__ext(cl_khr_fp64) __each doublen atan(doublen x) { return __atan(x); }
__ext(cl_khr_fp64) __each doublen atan2(doublen y, doublen x) { return __atan2(y, x); }
__ext(cl_khr_fp64) __each doublen asin(doublen x) { return __asin(x); }
__ext(cl_khr_fp64) __each doublen acos(doublen x) { return __acos(x); }
__ext(cl_khr_fp64) __each doublen atanpi(doublen x) { return __over_pi(__atan(x)); }
__ext(cl_khr_fp64) __each doublen atan2pi(doublen y, doublen x) { return __over_pi(__atan2(y, x)); }
__ext(cl_khr_fp64) __each doublen asinpi(doublen x) { return __over_pi(__asin(x)); }
__ext(cl_khr_fp64) __each doublen acospi(doublen x) { return __over_pi(__acos(x)); }

// atan(t) for |t| <= 1
float __atan_reduced_single(float t)
{
    float z = t * t;
    float p = -0x1.449a16p-9f;
    p = fma(p, z, 0x1.c62ea6p-7f);
    p = fma(p, z, -0x1.2a759ap-5f);
    p = fma(p, z, 0x1.01e514p-4f);
    p = fma(p, z, -0x1.636df2p-4f);
    p = fma(p, z, 0x1.c423eep-4f);
    p = fma(p, z, -0x1.246f74p-3f);
    p = fma(p, z, 0x1.99984cp-3f);
    p = fma(p, z, -0x1.555554p-2f);
    return fma(t * z, p, t);
}

// pi / 2 is 0x1.bffdd8p-1 0x1.cb942ap+0 to 47 bits, so that a fused operation adds it exactly.
__each floatn atan(floatn x)
{
    float size = fabs(x);
    int far = size > 1.0f;
    float a = __atan_reduced_single(far ? -1.0f / size : size);
    return copysign(far ? fma(0x1.bffdd8p-1f, 0x1.cb942ap+0f, a) : a, x);
}

// (asin(t) - t) / t^3 in z = t^2, |t| <= 1/2.
float __asin_tail_single(float z)
{
    float p = 0x1.39fbbcp-5f;
    p = fma(p, z, 0x1.b1164ap-6f);
    p = fma(p, z, 0x1.70ce26p-5f);
    p = fma(p, z, 0x1.332638p-4f);
    return fma(p, z, 0x1.55555ep-3f);
}

__each floatn asin(floatn x)
{
    float size = fabs(x);
    int far = size > 0.5f;
    float z = far ? fma(-0.5f, size, 0.5f) : x * x;
    float root = sqrt(z);
    float u = far ? root : size;
    // Half of what pi / 2 as a float is too large by, or x.
    float start = far ? 0x1.777a5cp-26f : size;
    float a = fma(u * z, __asin_tail_single(z), start);
    a = far ? fma(-2.0f, root + a, 0x1.921fb6p+0f) : a;
    return copysign(a, x);
}

__each floatn acos(floatn x)
{
    float size = fabs(x);
    int far = size > 0.5f;
    float z = far ? fma(-0.5f, size, 0.5f) : x * x;
    float u = far ? copysign(sqrt(z), x) : x;
    float a = fma(u * z, __asin_tail_single(z), u);
    float start = x > 0.0f ? 0.0f : 0x1.921fb6p+1f;
    return far ? fma(2.0f, a, start) : 0x1.921fb6p+0f - a;
}

// The tangent of the angle of (x, |y|) from pi / 2, -x / |y|, where that is steep, else from 0 or pi, |y| / x.
// Comparisons are written so that NaN of either passes. Two infinities, like all equals, have one as their quotient, two
// zeros, also such as are flushed, have zero.
float __quotient_single(float y, float x, private int *steep)
{
    float size_y = fabs(y);
    float size_x = fabs(x);
    float num = size_y > size_x ? size_x : size_y;
    float den = size_x < size_y ? size_y : size_x;
    float equal = den == 0.0f ? 0.0f : 1.0f;
    float t = num == den ? equal : num / den;
    *steep = size_y > size_x;
    return copysign(t, size_y > size_x ? -x : x);
}

__each floatn atan2(floatn y, floatn x)
{
    int steep;
    float a = __atan_reduced_single(__quotient_single(y, x, &steep));
    float start = as_int(x) < 0 ? 0x1.bffdd8p+0f : 0.0f;
    start = steep ? 0x1.bffdd8p-1f : start;
    return copysign(fma(start, 0x1.cb942ap+0f, a), y);
}

// atan(t) / (pi t) - c for |t| <= 1, where c is 1 / pi as a float.
float __atanpi_tail_single(float t)
{
    float z = t * t;
    float p = 0x1.e47f10p-11f;
    p = fma(p, z, -0x1.53a4d4p-8f);
    p = fma(p, z, 0x1.c0e458p-7f);
    p = fma(p, z, -0x1.88e2b4p-6f);
    p = fma(p, z, 0x1.15d426p-5f);
    p = fma(p, z, -0x1.7276cap-5f);
    p = fma(p, z, 0x1.04ab3cp-4f);
    p = fma(p, z, -0x1.b29892p-4f);
    p = fma(p, z, 0x1.249e02p-27f);
    return p;
}

__each floatn atanpi(floatn x)
{
    float size = fabs(x);
    int far = size > 1.0f;
    float t = far ? -1.0f / size : size;
    float start = far ? 0.5f : 0.0f;
    return copysign(fma(t, 0x1.45f306p-2f, t * __atanpi_tail_single(t)) + start, x);
}

__each floatn atan2pi(floatn y, floatn x)
{
    int steep;
    float t = __quotient_single(y, x, &steep);
    float start = as_int(x) < 0 ? 1.0f : 0.0f;
    start = steep ? 0.5f : start;
    return copysign(fma(t, 0x1.45f306p-2f, t * __atanpi_tail_single(t)) + start, y);
}

// asin(t) / (pi t) - c in z = t^2, |t| <= 1/2; first is 1 / pi - c.
float __asinpi_tail_single(float z, float first)
{
    float p = 0x1.bd5fd4p-7f;
    p = fma(p, z, 0x1.f0dad6p-8f);
    p = fma(p, z, 0x1.db3310p-7f);
    p = fma(p, z, 0x1.86d83cp-6f);
    p = fma(p, z, 0x1.b29a36p-5f);
    p = fma(p, z, first);
    return p;
}

__each floatn asinpi(floatn x)
{
    float size = fabs(x);
    int far = size > 0.5f;
    float z = far ? fma(-0.5f, size, 0.5f) : x * x;
    float t = far ? -2.0f * sqrt(z) : size;
    float start = far ? 0.5f : 0.0f;
    // c is the quotient where the result is 1/4: there the sum's error is half of what it is above.
    float v = fma(t, 0x1.4e8p-2f, start);
    return copysign(fma(t, __asinpi_tail_single(z, -0x1.119f28p-7f), v), x);
}

__each floatn acospi(floatn x)
{
    float size = fabs(x);
    int far = size > 0.5f;
    float z = far ? fma(-0.5f, size, 0.5f) : x * x;
    float t = far ? copysign(2.0f * sqrt(z), x) : -x;
    float start = far ? (x > 0.0f ? 0.0f : 1.0f) : 0.5f;
    // c is 1/4, so that the product is exact.
    return fma(t, __asinpi_tail_single(z, 0x1.17cc1cp-4f), fma(t, 0.25f, start));
}
