// s6.13.2: logarithms. x = 2^k (1 + f) with 1 + f around one, s = f / (2 + f), and
// log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2) with a minimax P (derive.py), summed
// as f - (f^2 / 2 - s (f^2 / 2 + s^2 P)) so that small f are exact to the last bit. In double what is not
// positive, finite and normal takes a path of its own.
//
// In float log(1 + f) = f + f^2 P(f), and what has no finite logarithm needs no path: its exponent is infinite or NaN, or
// its mantissa is NaN. For log2 and log10 the first coefficient is one of P's beside a float product of two parts, added
// last, since f is exact. Coefficients are from Sollya's fpminimax (derive.sollya).
//
// Bounds: log within 0.93 ulp in float, log2 0.94, log10 0.94, log1p 1.27; in double within
// 0.8 ulp.

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

// What is not a positive finite number.
double __log_special(double x, double value)
{
    double infinity = INFINITY;
    return x > 0.0 ? (x < infinity ? value : x) : (x == 0.0 ? -infinity : (double)NAN);
}

// s^2 P(s^2)
double __log_tail(double z)
{
    double p = 0x1.2f0ce691cc417p-3;
    p = fma(p, z, 0x1.39a1082e89f5cp-3);
    p = fma(p, z, 0x1.74664554496e6p-3);
    p = fma(p, z, 0x1.c71c51ec92b1fp-3);
    p = fma(p, z, 0x1.2492494211708p-2);
    p = fma(p, z, 0x1.999999997fba7p-2);
    p = fma(p, z, 0x1.5555555555593p-1);
    return z * p;
}

// k ln 2 + log(1 + f) + low; s = f / (2 + f).
double __log_sum(double k, double f, double s, double low)
{
    double half_square = 0.5 * f * f;
    double tail = s * (half_square + __log_tail(s * s));
    // The upper part of ln 2 has 32 bits, so its multiples are exact.
    double rest = fma(k, 0x1.a39ef35793c76p-33, low);
    return fma(k, 0x1.62e42feep-1, f - (half_square - (tail + rest)));
}

__outlined double __log_edge(double x)
{
    double k;
    double f = __split(x * 0x1p+54, &k);
    return __log_special(x, __log_sum(k - 54.0, f, f / (2.0 + f), 0.0));
}

double __log(double x)
{
    if (!__is_plain(x))
        return __log_edge(x);
    double k;
    double f = __split(x, &k);
    return __log_sum(k, f, f / (2.0 + f), 0.0);
}

__ext(cl_khr_fp64) __each doublen log(doublen x) { return __log(x); }

// log(1 + x) + turns ln 2 for 0 <= x, or NaN or infinity beyond what has a logarithm.
double __log1p_more(double x, double turns)
{
    double u = 1.0 + x;
    // What rounding took from u.
    double back = u - 1.0;
    double lost = (x - back) + (1.0 - (u - back));
    ulong bits = as_ulong(u) + 0x00095f619980c433;
    double k = as_double((bits >> 52) | 0x4330000000000000) - 0x1.00000000003ffp+52;
    double m = as_double((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);
    // 2^(1 - k)
    double scale = as_double(0x7ff0000000000000 - (bits & 0xfff0000000000000));
    double f = m - 1.0;
    // One division for s = f / (1 + m) and for the rest, lost / u.
    double sum = 1.0 + m;
    double twice = m + m;
    double inverse = 1.0 / (sum * twice);
    double s = f * (twice * inverse);
    double rest = (lost * scale) * (sum * inverse);
    return __log_special(u, __log_sum(k + turns, f, s, rest));
}

double __log1p(double x) { return copysign(__log1p_more(x, 0.0), x); }

__ext(cl_khr_fp64) __each doublen log1p(doublen x) { return __log1p(x); }

// log(1 + f) as a sum of two doubles, exact to some 60 bits.
double __log1_pair(double f, private double *low)
{
    double s = f / (2.0 + f);
    double half_square = 0.5 * f * f;
    double square_low = fma(0.5 * f, f, -half_square);
    double high = f - half_square;
    *low = ((f - high) - half_square) - square_low + s * (half_square + __log_tail(s * s));
    return high;
}

double __log2_sum(double k, double f)
{
    double low;
    double high = __log1_pair(f, &low);
    double p = high * 0x1.71547652b82fep+0;
    double rest = fma(high, 0x1.71547652b82fep+0, -p);
    rest += fma(low, 0x1.71547652b82fep+0, high * 0x1.777d0ffda0d24p-56);
    double sum = k + p;
    rest += (k - sum) + p;
    return sum + rest;
}

__outlined double __log2_edge(double x)
{
    double k;
    double f = __split(x * 0x1p+54, &k);
    return __log_special(x, __log2_sum(k - 54.0, f));
}

__ext(cl_khr_fp64) __each doublen log2(doublen x)
{
    if (!__is_plain(x))
        return __log2_edge(x);
    double k;
    double f = __split(x, &k);
    return __log2_sum(k, f);
}

double __log10_sum(double k, double f)
{
    double low;
    double high = __log1_pair(f, &low);
    double p = high * 0x1.bcb7b1526e50ep-2;
    double rest = fma(high, 0x1.bcb7b1526e50ep-2, -p);
    rest += fma(low, 0x1.bcb7b1526e50ep-2, high * 0x1.95355baaafad3p-57);
    double whole = k * 0x1.34413509p-2;
    rest = fma(k, 0x1.ef3fde623e256p-35, rest);
    double sum = whole + p;
    rest += (whole - sum) + p;
    return sum + rest;
}

__outlined double __log10_edge(double x)
{
    double k;
    double f = __split(x * 0x1p+54, &k);
    return __log_special(x, __log10_sum(k - 54.0, f));
}

__ext(cl_khr_fp64) __each doublen log10(doublen x)
{
    if (!__is_plain(x))
        return __log10_edge(x);
    double k;
    double f = __split(x, &k);
    return __log10_sum(k, f);
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

__each floatn log(floatn x)
{
    float k;
    float f = __split_single(x, &k);
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

__each floatn log2(floatn x)
{
    float k;
    float f = __split_single(x, &k);
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

__each floatn log10(floatn x)
{
    float k;
    float f = __split_single(x, &k);
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

// With 1 + x = 2^-k (1 + f), f is 2^k x + (2^k - 1), which one fused operation rounds only once: what is lost in 1 + x, from
// which k is taken, does not matter.
__each floatn log1p(floatn x)
{
    // Of large numbers the scale would be subnormal, which may be flushed. Beside them 1 is nothing.
    int is_large = x > 0x1p+100f;
    float y = is_large ? x * 0x1p-32f : x;
    // Two thirds of 1 + y, which is always finite: the exponent is that of (1 + y) / (3/4), less one.
    float k = -1.0f - __exponent_single(fma(y, 0x1.555556p-1f, 0x1.555556p-1f));
    float scale = __scale_single(1.0f, k);
    float v = __log1p_reduced_single(fma(y, scale, scale - 1.0f), is_large ? k - 32.0f : k);
    v = x < INFINITY ? v : x;
    float edge = x == -1.0f ? -INFINITY : NAN;
    return copysign(x > -1.0f ? v : edge, x);
}
