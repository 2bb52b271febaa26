// s6.13.2: half_ and native_ forms, and what -cl-fast-relaxed-math makes of functions of float. sqrt and quotients are the
// full functions, as those are one operation; so are logarithms and rsqrt of zero, infinity and subnormals, exponentials
// of large arguments, and sin, cos and tan beyond 2^16. Special values are those of the full functions. Polynomials are
// from Sollya's fpminimax (derive.sollya); tan is a quotient of polynomials.
//
// Bounds: 25 ulp for logarithms; 5 ulp for exp2; 25 for exp and 35 for exp10, in proportion to the argument; 1.5 ulp for
// rsqrt, 2^-22 absolute for sin and cos (2.5 ulp up to 100, 80 beside zeros of large arguments), 4 ulp for tan up to 100
// and 170 beside zeros of large arguments, up to 2^16; powr and pow grow with the exponent of the result, to some 400.

// f and k of x = 2^k (1 + f), with 1 + f from sqrt(1/2) to sqrt(2), for positive, finite and normal x.
float __quick_split(float x, private float *k)
{
    int bits = as_int(x) - 0x3f3504f3;
    *k = (float)(bits >> 23);
    return as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
}

// log(1 + f) / f to 19 bits, and log2(1 + f) / f to 19 and 22 bits.
float __quick_log_ratio(float f)
{
    float p = fma(0x1.e7744ap-4f, f, -0x1.7e5268p-3f);
    p = fma(p, f, 0x1.a3bcc4p-3f);
    p = fma(p, f, -0x1.fe268cp-3f);
    p = fma(p, f, 0x1.552444p-2f);
    p = fma(p, f, -0x1.000176p-1f);
    return fma(p, f, 0x1.00001p+0f);
}

float __quick_log2_ratio(float f)
{
    float p = fma(0x1.5f810ep-3f, f, -0x1.13cb3p-2f);
    p = fma(p, f, 0x1.2ecc36p-2f);
    p = fma(p, f, -0x1.6ffed6p-2f);
    p = fma(p, f, 0x1.ec295ep-2f);
    p = fma(p, f, -0x1.715692p-1f);
    return fma(p, f, 0x1.71548ep+0f);
}

float __powr_log2_ratio(float f)
{
    float p = fma(-0x1.2d6044p-3f, f, 0x1.e0c3a6p-3f);
    p = fma(p, f, -0x1.fd589p-3f);
    p = fma(p, f, 0x1.25dfd2p-2f);
    p = fma(p, f, -0x1.70e424p-2f);
    p = fma(p, f, 0x1.ec787ep-2f);
    p = fma(p, f, -0x1.715526p-1f);
    return fma(p, f, 0x1.715474p+0f);
}

// 2^(r + k), to 22 bits, for |r| <= 1/2 and shifted = 1.5 2^23 + k, where the result is normal.
float __quick_exp2(float r, float shifted)
{
    float p = fma(0x1.5f1c38p-10f, r, 0x1.3cbfb6p-7f);
    p = fma(p, r, 0x1.c6af5cp-5f);
    p = fma(p, r, 0x1.ebfa4ap-3f);
    p = fma(p, r, 0x1.62e430p-1f);
    return as_float(as_int(fma(p, r, 1.0f)) + (as_int(shifted) << 23));
}

// x^y for positive, finite and normal x where *exponent, that of the result, is below 125 in size.
float __quick_power_plain(float x, float y, private float *exponent)
{
    float k;
    float f = __quick_split(x, &k);
    float t = y * fma(f, __powr_log2_ratio(f), k);
    float shifted = t + 0x1.8p+23f;
    *exponent = t;
    return __quick_exp2(t - (shifted - 0x1.8p+23f), shifted);
}

// |x|^y
float __quick_power(float size, float y)
{
    float v = exp2(y * log2(size));
    return y == 0.0f ? 1.0f : v;
}

float __quick_powr(float x, float y)
{
    float exponent;
    float v = __quick_power_plain(x, y, &exponent);
    if (__is_edge_single(x) || !(fabs(exponent) < 125.0f)) {
        // Only 0^0, infinity^0 and 1^infinity differ from the product of logarithm and exponent.
        int undefined = y == 0.0f && (x == 0.0f || x == INFINITY);
        v = __quick_power(x, y);
        v = undefined || x < 0.0f || x != x ? NAN : v;
    }
    return v;
}

float __quick_pow(float x, float y)
{
    float size = fabs(x);
    float exponent;
    float v = __quick_power_plain(size, y, &exponent);
    if (__is_edge_single(size) || !(fabs(exponent) < 125.0f)) {
        v = size == 1.0f ? 1.0f : __quick_power(size, y);
        v = x != x || y != y ? x + y : v;
        v = y == 0.0f || x == 1.0f ? 1.0f : v;
    }
    return __pow_sign(x, y, v);
}

// sin(r + turns pi) for |r| <= pi/2, where shifted ends in turns; to 22 bits. The highest coefficient is a little lower than
// derived, so that the cosine of zero is one.
float __quick_half_turns(float r, float shifted)
{
    float z = r * r;
    float p = fma(0x1.615a40p-19f, z, -0x1.9fb2b8p-13f);
    p = fma(p, z, 0x1.11103ap-7f);
    p = fma(p, z, -0x1.555554p-3f);
    // Zero keeps its sign. That of the result is there before the polynomial is.
    return as_float(as_int(r) ^ (as_int(shifted) << 31)) * fma(p, z, 1.0f);
}

float __quick_sin(float x)
{
    float shifted = fma(x, 0x1.45f306p-2f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    float r = fma(-k, 0x1.921fb4p+1f, x);
    float v = __quick_half_turns(fma(-k, 0x1.4442d2p-23f, r), shifted);
    if (fabs(x) > 0x1p+16f)
        v = __sin_large(x);
    return v;
}

float __quick_cos(float x)
{
    // As the sine of x + pi/2.
    float shifted = fma(x, 0x1.45f306p-2f, 0.5f) + 0x1.8p+23f;
    float k = (shifted - 0x1.8p+23f) - 0.5f;
    float r = fma(-k, 0x1.921fb4p+1f, x);
    float v = __quick_half_turns(fma(-k, 0x1.4442d2p-23f, r), shifted);
    if (fabs(x) > 0x1p+16f)
        v = __cos_large(x);
    return v;
}

// By two parts of pi/2. The quotient has 25 bits.
float __quick_tan(float x)
{
    float shifted = fma(x, 0x1.45f306p-1f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    float r = fma(-k, 0x1.921fb4p+0f, x);
    r = fma(-k, 0x1.4442d2p-24f, r);
    float z = r * r;
    float n = r * fma(-0x1.8853acp-4f, z, 1.0f);
    float d = fma(fma(0x1.3e2dd8p-7f, z, -0x1.b76a62p-2f), z, 1.0f);
    int q = as_int(shifted);
    int is_even = (q & 1) == 0;
    float v = (is_even ? n : d) / (is_even ? d : n);
    v = as_float(as_int(v) ^ (q << 31));
    if (fabs(x) > 0x1p+16f)
        v = __tan_large(x);
    return v;
}

__each floatn half_exp(floatn x) { return native_exp(x); }
__each floatn half_exp2(floatn x) { return native_exp2(x); }
__each floatn half_exp10(floatn x) { return native_exp10(x); }

// 2^(x c), with the rounding error of c, where it is normal.
float __quick_exp(float x, float c)
{
    float shifted = fma(x, c, 0x1.8p+23f);
    return __quick_exp2(fma(x, c, 0x1.8p+23f - shifted), shifted);
}

__each floatn native_exp(floatn x)
{
    float v = __quick_exp(x, 0x1.715476p+0f);
    if (!(fabs(x) < 86.0f))
        v = exp(x);
    return v;
}

__each floatn native_exp2(floatn x)
{
    float v = __quick_exp(x, 1.0f);
    if (!(fabs(x) < 125.0f))
        v = exp2(x);
    return v;
}

__each floatn native_exp10(floatn x)
{
    float v = __quick_exp(x, 0x1.a934f0p+1f);
    if (!(fabs(x) < 37.0f))
        v = exp10(x);
    return v;
}

__each floatn half_log(floatn x) { return native_log(x); }
__each floatn half_log2(floatn x) { return native_log2(x); }
__each floatn half_log10(floatn x) { return native_log10(x); }

__each floatn native_log(floatn x)
{
    float k;
    float f = __quick_split(x, &k);
    float v = fma(f, __quick_log_ratio(f), k * 0x1.62e430p-1f);
    if (__is_edge_single(x))
        v = log(x);
    return v;
}

__each floatn native_log2(floatn x)
{
    float k;
    float f = __quick_split(x, &k);
    float v = fma(f, __quick_log2_ratio(f), k);
    if (__is_edge_single(x))
        v = log2(x);
    return v;
}

__each floatn native_log10(floatn x)
{
    float k;
    float f = __quick_split(x, &k);
    float v = fma(f * 0x1.bcb7b2p-2f, __quick_log_ratio(f), k * 0x1.344136p-2f);
    if (__is_edge_single(x))
        v = log10(x);
    return v;
}

__each floatn half_powr(floatn x, floatn y) { return __quick_powr(x, y); }
__each floatn native_powr(floatn x, floatn y) { return __quick_powr(x, y); }
__ext(relaxed_math) __each floatn powr(floatn x, floatn y) { return __quick_powr(x, y); }
__ext(relaxed_math) __each floatn pow(floatn x, floatn y) { return __quick_pow(x, y); }
__each floatn half_sin(floatn x) { return __quick_sin(x); }
__each floatn native_sin(floatn x) { return __quick_sin(x); }
__ext(relaxed_math) __each floatn sin(floatn x) { return __quick_sin(x); }
__each floatn half_cos(floatn x) { return __quick_cos(x); }
__each floatn native_cos(floatn x) { return __quick_cos(x); }
__ext(relaxed_math) __each floatn cos(floatn x) { return __quick_cos(x); }
__each floatn half_tan(floatn x) { return __quick_tan(x); }
__each floatn native_tan(floatn x) { return __quick_tan(x); }
__ext(relaxed_math) __each floatn tan(floatn x) { return __quick_tan(x); }
__ext(relaxed_math) __each floatn sincos(floatn x, __any floatn *cosine)
{
    *cosine = __quick_cos(x);
    return __quick_sin(x);
}

__each floatn half_sqrt(floatn x) { return sqrt(x); }
__each floatn native_sqrt(floatn x) { return sqrt(x); }
__each floatn half_rsqrt(floatn x) { return native_rsqrt(x); }

// As the full function, with a step of one order less.
__each floatn native_rsqrt(floatn x)
{
    float y = as_float(0x5f374800 - (as_int(x) >> 1));
    float h = fma(-x, y * y, 1.0f);
    float p = fma(0x1.19b61ap-2f, h, 0x1.413e24p-2f);
    p = fma(p, h, 0x1.7fff48p-2f);
    p = fma(p, h, 0x1.ffffcep-2f);
    float v = fma(y * h, p, y);
    if (__is_rsqrt_edge(x))
        v = __rsqrt_edge(x);
    return v;
}

__each floatn half_recip(floatn x) { return 1.0f / x; }
__each floatn native_recip(floatn x) { return 1.0f / x; }
__each floatn half_divide(floatn x, floatn y) { return x / y; }
__each floatn native_divide(floatn x, floatn y) { return x / y; }
