// s6.13.2: half_ and native_ forms, and what -cl-fast-relaxed-math makes of functions of float. Exponentials, logarithms,
// roots and quotients are the full functions, as those are short, and so are sin, cos and tan beyond 2^16. Special values
// are those of the full functions; polynomials are minimax (derive.py).
//
// Bounds in ulp: sin and cos 2, tan 4, up to 2^16; powr and pow grow with the exponent of the result, to some 160.

// |x|^y
float __quick_power(float size, float y)
{
    float v = exp2(y * log2(size));
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

float __quick_sin(float x)
{
    if (!(fabs(x) <= 0x1p+16f))
        return __sin_large(x);
    int q;
    float r = __quick_reduce(x, &q);
    return __turn_near(__quick_sin_reduced(r), __quick_cos_reduced(r), q);
}

float __quick_cos(float x)
{
    if (!(fabs(x) <= 0x1p+16f))
        return __cos_large(x);
    int q;
    float r = __quick_reduce(x, &q);
    return __turn_near(__quick_sin_reduced(r), __quick_cos_reduced(r), q + 1);
}

float __quick_tan(float x)
{
    if (!(fabs(x) <= 0x1p+16f))
        return __sin_large(x) / __cos_large(x);
    int q;
    float r = __quick_reduce(x, &q);
    float s = __quick_sin_reduced(r);
    float c = __quick_cos_reduced(r);
    float v = q & 1 ? c / s : s / c;
    return as_float(as_int(v) ^ ((q & 1) << 31));
}

__each floatn half_exp(floatn x) { return exp(x); }
__each floatn native_exp(floatn x) { return exp(x); }
__each floatn half_exp2(floatn x) { return exp2(x); }
__each floatn native_exp2(floatn x) { return exp2(x); }
__each floatn half_exp10(floatn x) { return exp10(x); }
__each floatn native_exp10(floatn x) { return exp10(x); }
__each floatn half_log(floatn x) { return log(x); }
__each floatn native_log(floatn x) { return log(x); }
__each floatn half_log2(floatn x) { return log2(x); }
__each floatn native_log2(floatn x) { return log2(x); }
__each floatn half_log10(floatn x) { return log10(x); }
__each floatn native_log10(floatn x) { return log10(x); }
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
