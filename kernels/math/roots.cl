// s6.13.2: cube root, hypotenuse and inverse square root. For double, x = 2^3k v with v in [1/2, 4);
// v^(-1/3) begins as a polynomial (derive.py), a step of fourth order and a step of Newton's with a
// fused rest follow; hypot scales by powers of two where squares would overflow or vanish. For float,
// in single precision: the bits of x, taken as a number, are nearly its logarithm, so x^(-1/3) and
// x^(-1/2) begin as a linear function of them; a step with coefficients that are minimax over the errors
// of that beginning follows: of third order, which leaves 2^-14 or less, and a last one for x^(-1/3), of
// fifth order for x^(-1/2) (derive.sollya). What would overflow or vanish takes a path of its own.
//
// rsqrt of double begins so as well; a step of fourth order leaves 2^-19 and one of third order gives the result. hypot
// is a root by way of rsqrt.
//
// Bounds: double versions: cbrt within 0.51 ulp, hypot within 1.35, rsqrt within 1.01; float versions: cbrt within 0.69,
// hypot within 1.45, rsqrt within 0.87.

// v^(-1/3) to 34 bits, and v and the bits of k of x, which is positive and normal.
double __inverse_cbrt(double x, private double *v, private ulong *k)
{
    ulong bits = as_ulong(x);
    double e = as_double((bits >> 52) | 0x4330000000000000) - 0x1.00000000003ffp+52;
    ulong scale = as_ulong(fma(e, 0x1.5555555555555p-2, 0x1.8p+52)) << 52;
    double m = as_double(bits - 3 * scale);
    double y = 0x1.675c2eb977e61p-9;
    y = fma(y, m, -0x1.5b062db1cbb73p-5);
    y = fma(y, m, 0x1.116e40bd1aad2p-2);
    y = fma(y, m, -0x1.c65d0e895eb58p-1);
    y = fma(y, m, 0x1.b038a65c2f9c4p+0);
    y = fma(y, m, -0x1.ec2d31b9ddde4p+0);
    y = fma(y, m, 0x1.e49b200a567f8p+0);
    double h = fma(-m * y, y * y, 1.0);
    *v = m;
    *k = scale;
    double step = fma(fma(0x1.61f9add3c0ca4p-3, h, 0x1.c71c71c71c71cp-3), h, 0x1.5555555555555p-2);
    return fma(y * h, step, y);
}

double __cbrt_plain(double x)
{
    double v;
    ulong k;
    double y = __inverse_cbrt(x, &v, &k);
    double square_inverse = y * y;
    double t = v * square_inverse;
    double square = t * t;
    double square_low = fma(t, t, -square);
    double error = fma(-square, t, v) - square_low * t;
    t = fma(error, square_inverse * 0x1.5555555555555p-2, t);
    return as_double(as_ulong(t) + k);
}

__outlined double __cbrt_edge(double x)
{
    double size = fabs(x);
    int is_small = size > 0.0 && size < (double)INFINITY;
    return is_small ? copysign(__cbrt_plain(size * 0x1p+54) * 0x1p-18, x) : x;
}

__ext(cl_khr_fp64) __each doublen cbrt(doublen x)
{
    double size = fabs(x);
    if (!__is_plain(size))
        return __cbrt_edge(x);
    return copysign(__cbrt_plain(size), x);
}

__each floatn cbrt(floatn x)
{
    float size = fabs(x);
    int small = size < 0x1p-126f;
    float v = small ? size * 0x1p+24f : size;
    float seed = fma((float)as_int(v), -0x1.555556p-2f, 0x1.526af4p+30f);
    float y = as_float((int)seed);
    float h = fma(-v * y, y * y, 1.0f);
    y = fma(y * h, fma(0x1.1c9aa6p-2f, h, 0x1.51b1a4p-2f), y);
    // Twelve bits, whose square is exact.
    y = as_float(as_int(y) & 0xfffff000);
    // t (1 - h)^(-2/3); of the rounding error in t = v y^2, which h sees, only a third is left.
    float t = v * (y * y);
    h = fma(-t, y, 1.0f);
    t = fma(t * h, fma(0x1.1c71c8p-1f, h, 0x1.555556p-1f), t);
    t = copysign(small ? t * 0x1p-8f : t, x);
    // Zero and infinity.
    return x + x == x ? x : t;
}

// x^(-1/2) to 19 bits, for what is positive, finite and not subnormal. The beginning's error is 2^-4.8; coefficients are
// minimax over what it leaves (derive.sollya).
double __rsqrt_seed(double x)
{
    double y = as_double(0x5fe6e90000000000 - (as_ulong(x) >> 1));
    double h = fma(-x * y, y, 1.0);
    return fma(y * h, fma(fma(0x1.414ec387f9c5bp-2, h, 0x1.811adc4b35573p-2), h, 0x1.ffffbb1d36f74p-2), y);
}

__ext(cl_khr_fp64) __each doublen rsqrt(doublen x)
{
    if (!__is_plain(x))
        return 1.0 / sqrt(x);
    double y = __rsqrt_seed(x);
    double h = fma(-x * y, y, 1.0);
    return fma(y * h, fma(0.375, h, 0.5), y);
}

// The root of what is positive, finite and not subnormal, as x y (1 - h)^(-1/2), in a third of the time that the correctly
// rounded root takes where vectors are long. Half of the error of x y is taken back by h.
double __root_plain(double x)
{
    double y = __rsqrt_seed(x);
    double v = x * y;
    double h = fma(-v, y, 1.0);
    return fma(v * h, fma(0.375, h, 0.5), v);
}

__outlined double __hypot_edge(double x, double y)
{
    double ax = fabs(x);
    double ay = fabs(y);
    double a = ax > ay ? ax : ay;
    double b = ax > ay ? ay : ax;
    double infinity = INFINITY;
    double as = a > 1.0 ? a * 0x1p-600 : a * 0x1p+600;
    double bs = a > 1.0 ? b * 0x1p-600 : b * 0x1p+600;
    double h = sqrt(fma(as, as, bs * bs)) * (a > 1.0 ? 0x1p+600 : 0x1p-600);
    // Also of two zeros.
    h = a == 0.0 || x != x || y != y ? ax + ay : h;
    return ax == infinity || ay == infinity ? infinity : h;
}

__ext(cl_khr_fp64) __each doublen hypot(doublen x, doublen y)
{
    // The root halves the error of the sum.
    double square = fma(x, x, y * y);
    double v = __root_plain(square);
    // One comparison, of bits: from 2^-900 to 2^1000.
    if (as_ulong(square) - 0x07b0000000000000 >= 0x76c0000000000000)
        v = __hypot_edge(x, y);
    return v;
}

// The same from 2^-80 to 2^120.
float __root_plain(float x)
{
    float y = __rsqrt_begin(x);
    float v = x * y;
    float h = fma(-v, y, 1.0f);
    return fma(v * h, __rsqrt_tail(h), v);
}

float __hypot_edge(float x, float y)
{
    float a = fabs(x);
    float b = fabs(y);
    float size = a > b ? a : b;
    int large = size > 0x1p+60f;
    int small = size < 0x1p-40f;
    a = large ? a * 0x1p-80f : a;
    b = large ? b * 0x1p-80f : b;
    a = small ? a * 0x1p+80f : a;
    b = small ? b * 0x1p+80f : b;
    float v = sqrt(fma(a, a, b * b));
    v = large ? v * 0x1p+80f : v;
    v = small ? v * 0x1p-80f : v;
    // Also beside NaN.
    return a == INFINITY || b == INFINITY ? INFINITY : v;
}

__each floatn hypot(floatn x, floatn y)
{
    // The root halves the error of the sum.
    float square = fma(x, x, y * y);
    float v = __root_plain(square);
    // One comparison: from 2^-80 to 2^120.
    if ((int)(as_uint(square) + 0x68800000) > -0x1c000001)
        v = __hypot_edge(x, y);
    return v;
}

// x^(-1/2) to some four bits.
float __rsqrt_begin(float x) { return as_float(0x5f374800 - (as_int(x) >> 1)); }

// ((1 - h)^(-1/2) - 1) / h for the h of this beginning.
float __rsqrt_tail(float h)
{
    float p = fma(0x1.fb486ap-3f, h, 0x1.196c00p-2f);
    p = fma(p, h, 0x1.3fff40p-2f);
    p = fma(p, h, 0x1.7fff8ep-2f);
    return fma(p, h, 0.5f);
}

// x^(-1/2) from 2^-126 to 2^124: one step of fifth order. The square of its beginning is rounded, not its product with x,
// since that is nearer to one; it is subnormal for larger x.
float __rsqrt_plain(float x)
{
    float y = __rsqrt_begin(x);
    float h = fma(-x, y * y, 1.0f);
    return fma(y * h, __rsqrt_tail(h), y);
}

// All other x.
float __rsqrt_edge(float x)
{
    int is_small = x < 1.0f;
    float v = __rsqrt_plain(x * (is_small ? 0x1p+24f : 0x1p-24f)) * (is_small ? 0x1p+12f : 0x1p-12f);
    return x > 0.0f && x < INFINITY ? v : 1.0f / sqrt(x);
}

// Whether the bits of x are not those of a number from 2^-126 to 2^124.
int __is_rsqrt_edge(float x) { return (int)(as_uint(x) + 0x7f800000) > -0x03000001; }

__each floatn rsqrt(floatn x)
{
    float v = __rsqrt_plain(x);
    if (__is_rsqrt_edge(x))
        v = __rsqrt_edge(x);
    return v;
}
