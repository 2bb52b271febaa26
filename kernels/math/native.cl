// s6.13.2: half_ and native_ forms, and what -cl-fast-relaxed-math makes of functions of float.
// All in single precision: magnitudes are split by adding 1.5 2^23, whose sum ends in the nearest
// whole number; polynomials are minimax (derive.py). Special values are those of the full functions;
// sin, cos and tan beyond 2^16 are the full functions.
//
// Bounds in ulp: exp and exp2 1, exp10 1.5, log 1, log2 1.5, log10 2, sin and cos 2, tan 4, up to 2^16;
// powr and pow grow with the exponent of the result, to some 160. sqrt, rsqrt, recip and divide are
// the full operations.

// v 2^k, where shifted is 1.5 2^23 + k and |k| < 250.
float __quick_scale(float v, float shifted)
{
    int k = as_int(shifted) - 0x4b400000;
    int half_way = k >> 1;
    return v * as_float((half_way + 127) << 23) * as_float((k - half_way + 127) << 23);
}

// exp(r) for |r| <= ln 2 / 2.
float __quick_exp_reduced(float r)
{
    float p = 0x1.6a2350p-10f;
    p = fma(p, r, 0x1.123a6cp-7f);
    p = fma(p, r, 0x1.5558f4p-5f);
    p = fma(p, r, 0x1.555490p-3f);
    p = fma(p, r, 0x1.fffffcp-2f);
    return fma(r * r, p, r) + 1.0f;
}

float __quick_exp2(float x)
{
    float y = x > 130.0f ? 130.0f : x < -160.0f ? -160.0f : x;
    float shifted = y + 0x1.8p+23f;
    float r = y - (shifted - 0x1.8p+23f);
    float p = 0x1.41f75ap-13f;
    p = fma(p, r, 0x1.5f3f24p-10f);
    p = fma(p, r, 0x1.3b2d56p-7f);
    p = fma(p, r, 0x1.c6aee8p-5f);
    p = fma(p, r, 0x1.ebfbdcp-3f);
    p = fma(p, r, 0x1.62e430p-1f);
    return __quick_scale(fma(p, r, 1.0f), shifted);
}

float __quick_exp(float x)
{
    float y = x > 90.0f ? 90.0f : x < -110.0f ? -110.0f : x;
    float shifted = fma(y, 0x1.715476p+0f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    float r = fma(-k, 0x1.62e430p-1f, y);
    r = fma(-k, -0x1.05c610p-29f, r);
    return __quick_scale(__quick_exp_reduced(r), shifted);
}

float __quick_exp10(float x)
{
    float y = x > 40.0f ? 40.0f : x < -48.0f ? -48.0f : x;
    float shifted = fma(y, 0x1.a934f0p+1f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    float r = fma(-k, 0x1.344136p-2f, y);
    r = fma(-k, -0x1.ec10c0p-27f, r);
    return __quick_scale(__quick_exp_reduced(r * 0x1.26bb1cp+1f), shifted);
}

// f and k of x = 2^k (1 + f), which is positive and finite; 1 + f lies around one.
float __quick_split(float x, private float *k)
{
    int small = x < 0x1p-126f;
    int bits = as_int(small ? x * 0x1p+23f : x);
    // The exponent of x / sqrt(1/2).
    int e = (bits - 0x3f3504f3) >> 23;
    *k = (float)(small ? e - 23 : e);
    return as_float(bits - (e << 23)) - 1.0f;
}

// What is not a positive finite number.
float __quick_log_special(float x, float value)
{
    float other = x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
    return x > 0.0f && x < INFINITY ? value : other;
}

// log(1 + f) = f + f^2 P(f); gives f^2 P.
float __quick_log_tail(float f)
{
    float p = -0x1.382ffep-4f;
    p = fma(p, f, 0x1.084858p-3f);
    p = fma(p, f, -0x1.0f3766p-3f);
    p = fma(p, f, 0x1.22719ep-3f);
    p = fma(p, f, -0x1.54276ep-3f);
    p = fma(p, f, 0x1.99a3f2p-3f);
    p = fma(p, f, -0x1.000426p-2f);
    p = fma(p, f, 0x1.555550p-2f);
    p = fma(p, f, -0x1.fffff8p-2f);
    return f * f * p;
}

float __quick_log(float x)
{
    float k;
    float f = __quick_split(x, &k);
    float low = fma(k, -0x1.05c610p-29f, __quick_log_tail(f));
    return __quick_log_special(x, fma(k, 0x1.62e430p-1f, low + f));
}

float __quick_log10(float x)
{
    float k;
    float f = __quick_split(x, &k);
    float v = (__quick_log_tail(f) + f) * 0x1.bcb7b2p-2f;
    return __quick_log_special(x, fma(k, 0x1.344136p-2f, fma(k, -0x1.ec10c0p-27f, v)));
}

float __quick_log2(float x)
{
    float k;
    float f = __quick_split(x, &k);
    float p = -0x1.c25a48p-4f;
    p = fma(p, f, 0x1.7d493cp-3f);
    p = fma(p, f, -0x1.874beap-3f);
    p = fma(p, f, 0x1.a305aap-3f);
    p = fma(p, f, -0x1.eabc88p-3f);
    p = fma(p, f, 0x1.277e36p-2f);
    p = fma(p, f, -0x1.715a76p-2f);
    p = fma(p, f, 0x1.ec7096p-2f);
    p = fma(p, f, -0x1.715470p-1f);
    p = fma(p, f, 0x1.715476p+0f);
    return __quick_log_special(x, fma(f, p, k));
}

// |x|^y
float __quick_power(float size, float y)
{
    float v = __quick_exp2(y * __quick_log2(size));
    return y == 0.0f ? 1.0f : v;
}

float __quick_powr(float x, float y)
{
    // Only 0^0, infinity^0 and 1^infinity differ from the product of logarithm and exponent.
    int undefined = y == 0.0f && (x == 0.0f || x == INFINITY);
    float v = __quick_power(x, y);
    return undefined || x < 0.0f || x != x ? NAN : v;
}

float __quick_pow(float x, float y)
{
    float size = fabs(x);
    int is_whole = trunc(y) == y;
    int is_odd = is_whole && fabs(y) < 0x1p+24f && ((int)y & 1);
    float v = size == 1.0f ? 1.0f : __quick_power(size, y);
    v = is_odd ? copysign(v, x) : x < 0.0f && size < INFINITY && !is_whole ? NAN : v;
    v = x != x || y != y ? x + y : v;
    return y == 0.0f || x == 1.0f ? 1.0f : v;
}

// sin(r) and cos(r) for |r| <= pi/4.
float __quick_sin_reduced(float r)
{
    float z = r * r;
    float p = fma(-0x1.994b3ap-13f, z, 0x1.110756p-7f);
    p = fma(p, z, -0x1.555546p-3f);
    return fma(r * z, p, r);
}

float __quick_cos_reduced(float r)
{
    float z = r * r;
    float p = fma(0x1.99ff76p-16f, z, -0x1.6c0c82p-10f);
    p = fma(p, z, 0x1.55554ap-5f);
    return fma(z * z, p, fma(-0.5f, z, 1.0f));
}

// By quadrant: sine, cosine, and their negatives.
float __quick_turn(float sine, float cosine, int quadrant)
{
    float v = quadrant & 1 ? cosine : sine;
    return as_float(as_int(v) ^ ((quadrant & 2) << 30));
}

// r and quadrant of x = quadrant pi/2 + r, |x| <= 2^16.
float __quick_reduce(float x, private int *quadrant)
{
    float shifted = fma(x, 0x1.45f306p-1f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    *quadrant = as_int(shifted);
    float r = fma(-k, 0x1.921fb6p+0f, x);
    r = fma(-k, -0x1.777a5cp-25f, r);
    return fma(-k, -0x1.ee59dap-50f, r);
}

__outlined float __far_sin(float x)
{
    ulong q;
    double r = __reduce_single(x, &q);
    return (float)__turn(__sin_reduced_single(r), __cos_reduced_single(r), q);
}

__outlined float __far_cos(float x)
{
    ulong q;
    double r = __reduce_single(x, &q);
    return (float)__turn(__sin_reduced_single(r), __cos_reduced_single(r), q + 1);
}

float __quick_sin(float x)
{
    if (!(fabs(x) <= 0x1p+16f))
        return __far_sin(x);
    int q;
    float r = __quick_reduce(x, &q);
    return __quick_turn(__quick_sin_reduced(r), __quick_cos_reduced(r), q);
}

float __quick_cos(float x)
{
    if (!(fabs(x) <= 0x1p+16f))
        return __far_cos(x);
    int q;
    float r = __quick_reduce(x, &q);
    return __quick_turn(__quick_sin_reduced(r), __quick_cos_reduced(r), q + 1);
}

float __quick_tan(float x)
{
    if (!(fabs(x) <= 0x1p+16f))
        return __far_sin(x) / __far_cos(x);
    int q;
    float r = __quick_reduce(x, &q);
    float s = __quick_sin_reduced(r);
    float c = __quick_cos_reduced(r);
    float v = q & 1 ? c / s : s / c;
    return as_float(as_int(v) ^ ((q & 1) << 31));
}

__each floatn half_exp(floatn x) { return __quick_exp(x); }
__each floatn native_exp(floatn x) { return __quick_exp(x); }
__ext(relaxed_math) __each floatn exp(floatn x) { return __quick_exp(x); }
__each floatn half_exp2(floatn x) { return __quick_exp2(x); }
__each floatn native_exp2(floatn x) { return __quick_exp2(x); }
__ext(relaxed_math) __each floatn exp2(floatn x) { return __quick_exp2(x); }
__each floatn half_exp10(floatn x) { return __quick_exp10(x); }
__each floatn native_exp10(floatn x) { return __quick_exp10(x); }
__ext(relaxed_math) __each floatn exp10(floatn x) { return __quick_exp10(x); }
__each floatn half_log(floatn x) { return __quick_log(x); }
__each floatn native_log(floatn x) { return __quick_log(x); }
__ext(relaxed_math) __each floatn log(floatn x) { return __quick_log(x); }
__each floatn half_log2(floatn x) { return __quick_log2(x); }
__each floatn native_log2(floatn x) { return __quick_log2(x); }
__ext(relaxed_math) __each floatn log2(floatn x) { return __quick_log2(x); }
__each floatn half_log10(floatn x) { return __quick_log10(x); }
__each floatn native_log10(floatn x) { return __quick_log10(x); }
__ext(relaxed_math) __each floatn log10(floatn x) { return __quick_log10(x); }
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
__each floatn half_rsqrt(floatn x) { return rsqrt(x); }
__each floatn native_rsqrt(floatn x) { return rsqrt(x); }
__each floatn half_recip(floatn x) { return 1.0f / x; }
__each floatn native_recip(floatn x) { return 1.0f / x; }
__each floatn half_divide(floatn x, floatn y) { return x / y; }
__each floatn native_divide(floatn x, floatn y) { return x / y; }
