// s6.13.2: logarithms. x = 2^k (1 + f) with 1 + f around one, s = f / (2 + f), and
// log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2) with a minimax P (derive.py), summed
// as f - (f^2 / 2 - s (f^2 / 2 + s^2 P)) so that small f are exact to the last bit.
//
// In float log(1 + f) = f + f^2 P(f). Ordinary numbers are taken apart by their bits, all others by ops for the exponent and
// the mantissa, of which one is infinite or NaN if there is no finite logarithm. For log2 and log10 the first coefficient is
// one of P's beside a product of two parts, added last, since f is exact. Coefficients for float are from Sollya's
// fpminimax (derive.sollya).
//
// Bounds: log within 0.93 ulp in float, log2 0.94, log10 0.94, log1p 1.27; in double log within 0.9 ulp, log2 1.0, log10
// 0.95, log1p 1.4.

// floor(log2 |x|), and |x| divided by that power of two; see the ops.
__op(fgetexp) float __exponent_single(float x);
__op(fgetmant) float __mantissa_single(float x);

// f and k of x = 2^k (1 + f), with 1 + f from sqrt(1/2) to sqrt(2). One of them is infinite or NaN if x is zero, infinite,
// negative or NaN.
float __split_single(float x, private float *k)
{
    float m = __mantissa_single(x);
    float e = __exponent_single(x);
    int is_large = m > 0x1.6a09e6p+0f;
    *k = is_large ? e + 1.0f : e;
    return (is_large ? m * 0.5f : m) - 1.0f;
}

__op(fgetexp) double __exponent_double(double x);

// f and k of x, which is positive, finite and not subnormal.
double __split(double x, private double *k)
{
    // The exponent of x / sqrt(1/2), where a double has it; k by way of the bits of 2^52 + k.
    ulong bits = as_ulong(x) + 0x00095f619980c433;
    *k = as_double((bits >> 52) | 0x4330000000000000) - 0x1.00000000003ffp+52;
    return as_double((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
}

// Neither negative, zero, subnormal, infinite nor NaN.
int __is_plain(double x) { return as_ulong(x) - 0x0010000000000000 < 0x7fe0000000000000; }

// The logarithm of zero, infinity, negative numbers and NaN.
double __log_limit(double x)
{
    return x == 0.0 ? -(double)INFINITY : x > 0.0 ? x : (double)NAN;
}

// Whether x is a positive subnormal number.
int __is_subnormal(double x) { return as_ulong(x) - 1 < 0x000fffffffffffff; }

// log(1 + f) - f
double __log1_rest(double f)
{
    double s = f / (2.0 + f);
    double z = s * s;
    double zz = z * z;
    double p = fma(0x1.2f0ce691cc417p-3, z, 0x1.39a1082e89f5cp-3);
    p = fma(p, zz, fma(0x1.74664554496e6p-3, z, 0x1.c71c51ec92b1fp-3));
    p = fma(p, zz, fma(0x1.2492494211708p-2, z, 0x1.999999997fba7p-2));
    p = fma(p, z, 0x1.5555555555593p-1);
    double half_square = 0.5 * f * f;
    return fma(s, fma(z, p, half_square), -half_square);
}

// k ln 2 + log(1 + f)
double __log_sum(double k, double f)
{
    // The upper part of ln 2 has 32 bits, so its multiples are exact.
    return fma(k, 0x1.62e42feep-1, f + fma(k, 0x1.a39ef35793c76p-33, __log1_rest(f)));
}

__outlined double __log_edge(double x)
{
    double k;
    double f = __split(x * 0x1p+54, &k);
    return __is_subnormal(x) ? __log_sum(k - 54.0, f) : __log_limit(x);
}

double __log(double x)
{
    double k;
    double f = __split(x, &k);
    double v = __log_sum(k, f);
    if (!__is_plain(x))
        v = __log_edge(x);
    return v;
}

__ext(cl_khr_fp64) __each doublen log(doublen x) { return __log(x); }

// log(1 + x) + (turns - 1) ln 2, where scaled is (1 + x) sqrt(1/2), and positive and below 2^1000. With 1 + x = 2^k (1 +
// f), f is x 2^-k + (2^-k - 1), which one fused operation rounds only once: what is lost in scaled, from which k is
// taken, does not matter.
double __log1p_sum(double x, double scaled, double turns)
{
    double scale = as_double(0x7fd0000000000000 - (as_ulong(scaled) & 0x7ff0000000000000));
    return __log_sum(__exponent_double(scaled) + turns, fma(x, scale, scale - 1.0));
}

double __scaled_more(double x) { return fma(x, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1); }

__outlined double __log1p_edge(double x)
{
    return x > 0.0 ? __log(x) : x == -1.0 ? -(double)INFINITY : (double)NAN;
}

double __log1p(double x)
{
    double scaled = __scaled_more(x);
    double v = copysign(__log1p_sum(x, scaled, 1.0), x);
    // One comparison, of bits: positive and below 2^1000.
    if (as_ulong(scaled) - 1 >= 0x7e6fffffffffffff)
        v = __log1p_edge(x);
    return v;
}

__ext(cl_khr_fp64) __each doublen log1p(doublen x) { return __log1p(x); }

// Products of f and of a logarithm's base are exact: the largest term last.
double __log2_sum(double k, double f)
{
    double low = fma(__log1_rest(f), 0x1.71547652b82fep+0, f * 0x1.777d0ffda0d24p-56);
    return k + fma(f, 0x1.71547652b82fep+0, low);
}

__outlined double __log2_edge(double x)
{
    double k;
    double f = __split(x * 0x1p+54, &k);
    return __is_subnormal(x) ? __log2_sum(k - 54.0, f) : __log_limit(x);
}

__ext(cl_khr_fp64) __each doublen log2(doublen x)
{
    double k;
    double f = __split(x, &k);
    double v = __log2_sum(k, f);
    if (!__is_plain(x))
        v = __log2_edge(x);
    return v;
}

double __log10_sum(double k, double f)
{
    double low = fma(k, 0x1.ef3fde623e256p-35, f * 0x1.95355baaafad3p-57);
    low = fma(__log1_rest(f), 0x1.bcb7b1526e50ep-2, low);
    return fma(k, 0x1.34413509p-2, fma(f, 0x1.bcb7b1526e50ep-2, low));
}

__outlined double __log10_edge(double x)
{
    double k;
    double f = __split(x * 0x1p+54, &k);
    return __is_subnormal(x) ? __log10_sum(k - 54.0, f) : __log_limit(x);
}

__ext(cl_khr_fp64) __each doublen log10(doublen x)
{
    double k;
    double f = __split(x, &k);
    double v = __log10_sum(k, f);
    if (!__is_plain(x))
        v = __log10_edge(x);
    return v;
}

// log((1 + s) / (1 - s)) to 35 bits.
double __log_ratio_single(double s)
{
    double z = s * s;
    double p = 0x1.e2fdb713949d4p-3;
    p = fma(p, z, 0x1.2438aa28403b8p-2);
    p = fma(p, z, 0x1.999a7b2ef8530p-2);
    p = fma(p, z, 0x1.555554fd4c899p-1);
    return s * fma(z, p, 2.0);
}

// log(1 + f) to 35 bits.
double __log1_single(double f) { return __log_ratio_single(f / (2.0 + f)); }

// log(x) to 35 bits; x is positive and finite, and no subnormal double, as no float is.
double __log_single(double x)
{
    double k;
    double f = __split(x, &k);
    return fma(k, 0x1.62e42fefa39efp-1, __log1_single(f));
}

float __log_of_parts(float k, float f)
{
    float p = -0x1.4969f2p-4f;
    p = fma(p, f, 0x1.08a6c8p-3f);
    p = fma(p, f, -0x1.0bf562p-3f);
    p = fma(p, f, 0x1.224468p-3f);
    p = fma(p, f, -0x1.5487e0p-3f);
    p = fma(p, f, 0x1.99a7a8p-3f);
    p = fma(p, f, -0x1.000222p-2f);
    p = fma(p, f, 0x1.555548p-2f);
    p = fma(p, f, -0x1.fffffep-2f);
    return fma(k, 0x1.62e430p-1f, fma(f * f, p, f));
}

float __log_edge(float x)
{
    float k;
    float f = __split_single(x, &k);
    return __log_of_parts(k, f);
}

__each floatn log(floatn x)
{
    float k;
    float f = __quick_split(x, &k);
    float v = __log_of_parts(k, f);
    if (__is_edge_single(x))
        v = __log_edge(x);
    return v;
}

float __log2_of_parts(float k, float f)
{
    float p = 0x1.8a8514p-4f;
    p = fma(p, f, -0x1.538358p-3f);
    p = fma(p, f, 0x1.5d8ddap-3f);
    p = fma(p, f, -0x1.6f87bap-3f);
    p = fma(p, f, 0x1.a47c84p-3f);
    p = fma(p, f, -0x1.ec6a46p-3f);
    p = fma(p, f, 0x1.277c3cp-2f);
    p = fma(p, f, -0x1.7154bcp-2f);
    p = fma(p, f, 0x1.ec7094p-2f);
    p = fma(p, f, -0x1.715476p-1f);
    float low = fma(f * f, p, f * 0x1.4ae0c0p-26f);
    return k + fma(f, 0x1.715476p+0f, low);
}

float __log2_edge(float x)
{
    float k;
    float f = __split_single(x, &k);
    return __log2_of_parts(k, f);
}

__each floatn log2(floatn x)
{
    float k;
    float f = __quick_split(x, &k);
    float v = __log2_of_parts(k, f);
    if (__is_edge_single(x))
        v = __log2_edge(x);
    return v;
}

float __log10_of_parts(float k, float f)
{
    float p = -0x1.1f2ea8p-5f;
    p = fma(p, f, 0x1.cbb74cp-5f);
    p = fma(p, f, -0x1.d10baep-5f);
    p = fma(p, f, 0x1.f83b30p-5f);
    p = fma(p, f, -0x1.27ced6p-4f);
    p = fma(p, f, 0x1.63d298p-4f);
    p = fma(p, f, -0x1.bcbb1cp-4f);
    p = fma(p, f, 0x1.287a6ap-3f);
    p = fma(p, f, -0x1.bcb7b0p-3f);
    float low = fma(f * f, p, f * -0x1.5b235ep-27f);
    // The upper part of log10(2) is below it, so that an infinite k meets no other sign.
    low = fma(k, 0x1.09f7a0p-26f, low);
    return fma(k, 0x1.344134p-2f, fma(f, 0x1.bcb7b2p-2f, low));
}

float __log10_edge(float x)
{
    float k;
    float f = __split_single(x, &k);
    return __log10_of_parts(k, f);
}

__each floatn log10(floatn x)
{
    float k;
    float f = __quick_split(x, &k);
    float v = __log10_of_parts(k, f);
    if (__is_edge_single(x))
        v = __log10_edge(x);
    return v;
}

// log(1 + f) - k ln 2 for f in [-1/4, 1/2]. ln 2 needs no second part: its error is 2^-29, and k counts
// only where the result is large.
float __log1p_reduced_single(float f, float k)
{
    float p = -0x1.92cf70p-5f;
    p = fma(p, f, 0x1.ba699cp-4f);
    p = fma(p, f, -0x1.0d4b76p-3f);
    p = fma(p, f, 0x1.2759fep-3f);
    p = fma(p, f, -0x1.54de44p-3f);
    p = fma(p, f, 0x1.997a96p-3f);
    p = fma(p, f, -0x1.00009ep-2f);
    p = fma(p, f, 0x1.55557cp-2f);
    p = fma(p, f, -0.5f);
    return fma(k, -0x1.62e430p-1f, fma(f * f, p, f));
}

// 2^k for k = turns - floor(log2 x), and k; x is positive and normal, and the result, too.
float __scale_against(float x, int turns, private float *k)
{
    int bits = ((turns + 254) << 23) - (as_int(x) & 0x7f800000);
    *k = (float)(bits >> 23) - 127.0f;
    return as_float(bits);
}

// With 1 + x = 2^-k (1 + f), f is 2^k x + (2^k - 1), which one fused operation rounds only once: what is lost in 1 + x, from
// which k is taken, does not matter.
__each floatn log1p(floatn x)
{
    // Of large numbers the scale would be subnormal, which may be flushed. Beside them 1 is nothing.
    int is_large = x > 0x1p+100f;
    float y = is_large ? x * 0x1p-32f : x;
    // Two thirds of 1 + y, which is always finite: the exponent is that of (1 + y) / (3/4), less one.
    float k;
    float scale = __scale_against(fma(y, 0x1.555556p-1f, 0x1.555556p-1f), -1, &k);
    float v = __log1p_reduced_single(fma(y, scale, scale - 1.0f), is_large ? k - 32.0f : k);
    v = x < INFINITY ? v : x;
    float edge = x == -1.0f ? -INFINITY : NAN;
    return copysign(x > -1.0f ? v : edge, x);
}
