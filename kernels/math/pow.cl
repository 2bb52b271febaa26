// s6.13.2: powers, as 2^(y log2(x)). The logarithm is a sum of two numbers with some 63 bits in double, 30 in float: the
// series of log2((1 + s) / (1 - s)), with its first two coefficients, in float the first, as sums of two numbers; the rest
// is from Sollya's fpminimax (derive.sollya).
//
// Special values after C99 F.9.4.4 and s7.5.1 of the OpenCL C specification. Most follow from
// log 0 = -infinity and log infinity = infinity; the functions here are for |x|, and what calls them
// adds the sign, and what an exponent of zero or a base of one make of it.
//
// For tgamma of double there is a natural logarithm as such a sum, with the first two terms of the series in
// double-double arithmetic (Dekker) and a minimax rest (derive.py).
//
// In float, where x, y and the result are ordinary numbers, the parts of x are found by its bits, and 2^k is added to
// those of the result; all else takes a path of its own.
//
// Bounds: within 1.8 ulp in float, in double within 1.2 ulp.

// log(x 2^turns) as the nearest double and what is missing from it; x is positive, finite and not
// subnormal.
double __log_pair(double x, double turns, private double *low)
{
    double k;
    double f = __split(x, &k);
    k += turns;
    double t = 2.0 + f;
    double t_low = f - (t - 2.0);
    double inverse = 1.0 / t;
    double s = f * inverse;
    double s_low = (fma(-s, t, f) - s * t_low) * inverse;
    double z = s * s;
    double z_low = fma(s, s, -z) + 2.0 * s * s_low;
    double p = 0x1.ea9c7e192d554p-4;
    p = fma(p, z, 0x1.de431e4ff8de3p-4);
    p = fma(p, z, 0x1.112045bd7a2fdp-3);
    p = fma(p, z, 0x1.3b13660c499a9p-3);
    p = fma(p, z, 0x1.745d1823b4152p-3);
    p = fma(p, z, 0x1.c71c71c5a4da2p-3);
    p = fma(p, z, 0x1.2492492492ebap-2);
    p = fma(p, z, 0x1.9999999999996p-2);
    // s^3 and two thirds of it
    double a = s * z;
    double a_low = fma(s, z, -a) + fma(s, z_low, s_low * z);
    double b = a * 0x1.5555555555555p-1;
    double b_low = fma(a, 0x1.5555555555555p-1, -b);
    b_low += fma(a, 0x1.5555555555555p-55, a_low * 0x1.5555555555555p-1);
    double high = 2.0 * s + b;
    double rest = (2.0 * s - high) + b;
    rest += fma(a * z, p, fma(2.0, s_low, b_low));
    // With k zero the first is zero, else the larger.
    double whole = k * 0x1.62e42feep-1;
    double sum = whole + high;
    rest += (whole - sum) + high;
    rest = fma(k, 0x1.a39ef35793c76p-33, rest);
    // The rest may be as large as 2^-14: exp takes apart only what precedes it.
    double log_high = sum + rest;
    *low = (sum - log_high) + rest;
    return log_high;
}

// k + log2(1 + f) as a double and a rest of up to 2^-13 of it, to 63 bits.
double __log2_pair(double k, double f, private double *low)
{
    double d = 2.0 + f;
    double d_low = f - (d - 2.0);
    double inverse = 1.0 / d;
    double s = f * inverse;
    double s_low = fma(-s, d_low, fma(-s, d, f)) * inverse;
    double z = s * s;
    double z_low = fma(s, s, -z);
    double zz = z * z;
    double p = fma(0x1.60390dd758f28p-3, zz, 0x1.8a061d05d2a58p-3);
    p = fma(p, zz, 0x1.0c9a84fff8e6ep-2);
    p = fma(p, zz, 0x1.a61762a7ae41dp-2);
    double even = fma(0x1.593b5fa795f3cp-3, zz, 0x1.c68f050bcc79ap-3);
    even = fma(even, zz, 0x1.484b13d735f46p-2);
    even = fma(even, zz, 0x1.2776c50ef9bfep-1);
    p = fma(p, z, even);
    // log2((1 + s) / (1 - s)) = s (a + z (b + z P(z))); what rounding takes from a + z b is exact.
    double sum = fma(z, 0x1.ec709dc3a03fdp-1, 0x1.71547652b82fep+1);
    double lost = fma(z, 0x1.ec709dc3a03fdp-1, 0x1.71547652b82fep+1 - sum);
    double rest = fma(z_low, 0x1.ec709dc3a03fdp-1, 0x1.777d0ffda0d24p-55);
    rest = lost + fma(z, fma(z, p, 0x1.d27f05548af0cp-55), rest);
    double high = s * sum;
    // A change of s counts a / (1 - z) times, which is a linear function of the sum but for a 2^-13th.
    rest = fma(s_low, fma(0x1.895eap+1, sum, -0x1.7ed8f253dcfcep+2), fma(s, rest, fma(s, sum, -high)));
    // With k zero the first is zero, else the larger.
    double log_high = k + high;
    *low = (k - log_high) + high + rest;
    return log_high;
}

// 2^high and a rest, which is NaN where the first is infinite or NaN. The result is unspecified unless high is from -1800
// to 1800.
double __exp2_pair(double high, double rest)
{
    double k = rint(high + rest);
    return __scale_double(__exp2_reduced((high - k) + rest), k);
}

// The same for high from -1020 to 1020, where the result is normal.
double __exp2_pair_plain(double high, double rest)
{
    double shifted = (high + rest) + 0x1.8p+52;
    double r = (high - (shifted - 0x1.8p+52)) + rest;
    return as_double(as_ulong(__exp2_reduced(r)) + (as_ulong(shifted) << 52));
}

// y log2(x) for k and f of x, as a sum.
double __pow_exponent(double k, double f, double y, double y_low, int is_root, private double *rest)
{
    double log_low;
    double log_high = __log2_pair(k, f, &log_low);
    double high = y * log_high;
    double low = fma(y, log_low, fma(y, log_high, -high));
    *rest = is_root ? fma(y_low, log_high, low) : low;
    return high;
}

// The same power of a subnormal number.
__outlined double __pow_small(double x, double y, double y_low)
{
    double k;
    double f = __split(x * 0x1p+54, &k);
    double rest;
    double high = __pow_exponent(k - 54.0, f, y, y_low, 1, &rest);
    if (fabs(high) < 1700.0)
        return __exp2_pair(high, rest);
    return high > 0.0 ? (double)INFINITY : high < 0.0 ? 0.0 : high;
}

// x^(y + y_low) for x with a clear sign bit. Only roots have y_low. x^0 and 1^y are one if wanted, else NaN where there is
// no limit, like 0^0.
double __pow_size(double x, double y, double y_low, int is_root, int has_ones)
{
    double k;
    double f = __split(x, &k);
    double rest;
    double high = __pow_exponent(k, f, y, y_low, is_root, &rest);
    double v = __exp2_pair_plain(high, rest);
    if (!__is_plain(x) || !(fabs(high) < 1020.0)) {
        // log 0 is -infinity, log infinity is infinity.
        double log_size = x == 0.0 ? -(double)INFINITY : x > 0.0 ? x : (double)NAN;
        double limit = __is_plain(x) ? high : y * log_size;
        v = limit > 0.0 ? (double)INFINITY : limit < 0.0 ? 0.0 : limit;
        v = __is_plain(x) && fabs(high) < 1700.0 ? __exp2_pair(high, rest) : v;
        v = x > 0.0 && x < 0x1p-1022 ? __pow_small(x, y, y_low) : v;
        v = has_ones && (y == 0.0 || x == 1.0) ? 1.0 : v;
    }
    return v;
}

// k + log2(1 + f) as the nearest float and what is missing from it, 1 + f from sqrt(1/2) to sqrt(2). With k infinite or f
// NaN the first is NaN, or what the logarithm is, and the other whatever.
float __log2_pair(float k, float f, private float *low)
{
    float inverse = 1.0f / (2.0f + f);
    float s = f * inverse;
    float s_low = fma(-s, f, fma(-2.0f, s, f)) * inverse;
    float z = s * s;
    // log2((1 + s) / (1 - s)) = s (a + z P(z)), with a of two parts.
    float p = fma(0x1.5479dap-2f, z, 0x1.a5f4e0p-2f);
    p = fma(p, z, 0x1.2776ccp-1f);
    p = fma(p, z, 0x1.ec709ep-1f);
    float a = fma(z, p, 0x1.715476p+1f);
    float a_low = fma(z, p, 0x1.715476p+1f - a) + 0x1.4ae0c0p-25f;
    float high = s * a;
    // s_low counts three times in what exceeds the first coefficient, as that is nearly a multiple of the square.
    float rest = fma(s_low, fma(3.0f, a, -0x1.715476p+2f), fma(s, a_low, fma(s, a, -high)));
    // With k zero the first is zero, else the larger.
    float sum = k + high;
    *low = (k - sum) + high + rest;
    return sum;
}

// 2^(x + low)
float __exp2_pair(float x, float low)
{
    // Beyond these limits the result is zero or infinite, whatever else.
    float y = x > 152.0f ? 152.0f : x < -152.0f ? -152.0f : x;
    float rest = y == x ? low : 0.0f;
    float k = rint(y);
    return __scale_single(__exp2_reduced((y - k) + rest), k);
}

// |x|^(y + y_low), where no power of 0, 1 and infinity to 0 or infinity is meant; those are NaN.
float __pow_size(float x, float y, float y_low)
{
    float k;
    float f = __split_single(x, &k);
    float log_low;
    float log_high = __log2_pair(k, f, &log_low);
    float high = y * log_high;
    float rest = fma(y, log_low, fma(y, log_high, -high));
    return __exp2_pair(high, fma(y_low, log_high, rest));
}

// The same where x is normal and positive: y log2(x) and what is missing from it.
float __pow_exponent(float x, float y, private float *log, private float *low)
{
    float k;
    float f = __quick_split(x, &k);
    float log_low;
    float log_high = __log2_pair(k, f, &log_low);
    float high = y * log_high;
    *log = log_high;
    *low = fma(y, log_low, fma(y, log_high, -high));
    return high;
}

// 2^(x + low) for |x| < 125.
float __exp2_plain(float x, float low)
{
    float shifted = x + 0x1.8p+23f;
    float r = (x - (shifted - 0x1.8p+23f)) + low;
    return as_float(as_int(__exp2_reduced(r)) + (as_int(shifted) << 23));
}

// Whether the bits of x are not those of a positive, finite and normal number.
int __is_edge_single(float x) { return (int)(as_uint(x) + 0x7f800000) > -0x01000001; }

// |x|^(y + y_low), as __pow_size.
float __pow_any(float x, float y, float y_low)
{
    float log;
    float low;
    float high = __pow_exponent(x, y, &log, &low);
    float v = __exp2_plain(high, fma(y_low, log, low));
    if (__is_edge_single(x) || !(fabs(high) < 125.0f))
        v = __pow_size(x, y, y_low);
    return v;
}

// pow(x, y), where v is |x|^y.
double __pow_sign(double x, double y, double v)
{
    if (as_long(x) < 0) {
        double size = fabs(x);
        double half_way = 0.5 * y;
        int is_whole = trunc(y) == y;
        int is_odd = is_whole & (trunc(half_way) != half_way);
        int has_limit = (size == 0.0) | (size == (double)INFINITY);
        // A NaN of either stays.
        v = is_odd ? -v : is_whole | has_limit ? v : (double)NAN;
    }
    return v;
}

__ext(cl_khr_fp64) __each doublen pow(doublen x, doublen y)
{
    return __pow_sign(x, y, __pow_size(fabs(x), y, 0.0, 0, 1));
}

// The same in float.
float __pow_sign(float x, float y, float v)
{
    if (as_int(x) < 0) {
        float size = fabs(x);
        float half_way = 0.5f * y;
        int is_whole = trunc(y) == y;
        int is_odd = is_whole & (trunc(half_way) != half_way);
        int has_limit = (size == 0.0f) | (size == INFINITY);
        // A NaN of either stays.
        v = is_odd ? -v : is_whole | has_limit ? v : NAN;
    }
    return v;
}

__ext(exact_math) __each floatn pow(floatn x, floatn y)
{
    float size = fabs(x);
    float log;
    float low;
    float high = __pow_exponent(size, y, &log, &low);
    float v = __exp2_plain(high, low);
    if (__is_edge_single(size) || !(fabs(high) < 125.0f)) {
        v = __pow_size(size, y, 0.0f);
        v = (y == 0.0f) | (size == 1.0f) ? 1.0f : v;
    }
    return __pow_sign(x, y, v);
}

// The sign of x if n is odd.
double __sign_if_odd(double v, double x, int n)
{
    return as_double(as_long(v) ^ (as_long(x) & ((long)n << 63)));
}

__ext(cl_khr_fp64) __each doublen pown(doublen x, intn y)
{
    return __sign_if_odd(__pow_size(fabs(x), y, 0.0, 0, 1), x, y);
}

// The same in float.
float __with_sign_if_odd(float v, float x, int n) { return as_float(as_int(v) ^ (as_int(x) & (n << 31))); }

__each floatn pown(floatn x, intn n)
{
    float y = (float)n;
    float y_low = (float)(n - (int)y);
    float v = __with_sign_if_odd(__pow_any(fabs(x), y, y_low), x, n);
    return n == 0 ? 1.0f : v;
}

__ext(cl_khr_fp64) __each doublen powr(doublen x, doublen y) { return __pow_size(x, y, 0.0, 0, 0); }

__ext(exact_math) __each floatn powr(floatn x, floatn y)
{
    float log;
    float low;
    float high = __pow_exponent(x, y, &log, &low);
    float v = __exp2_plain(high, low);
    if (__is_edge_single(x) || !(fabs(high) < 125.0f))
        v = __pow_size(x, y, 0.0f);
    return v;
}

// Where there is no root.
double __rootn_special(double x, int n, double value)
{
    int none = (n == 0) | (!(n & 1) & (x < 0.0));
    return none ? (double)NAN : __sign_if_odd(value, x, n);
}

__ext(cl_khr_fp64) __each doublen rootn(doublen x, intn n)
{
    double y = 1.0 / n;
    double y_low = fma(-y, (double)n, 1.0) * y;
    return __rootn_special(x, n, __pow_size(fabs(x), y, y_low, 1, 0));
}

__each floatn rootn(floatn x, intn n)
{
    float divisor = (float)n;
    float y = 1.0f / divisor;
    float y_low = fma(-y, divisor, 1.0f) * y;
    float v = __with_sign_if_odd(__pow_any(fabs(x), y, y_low), x, n);
    int none = (n == 0) | (!(n & 1) & (x < 0.0f));
    return none ? NAN : v;
}
