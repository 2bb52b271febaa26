// s6.13.2: powers, as exp(y log x). For double the logarithm is a sum of two doubles with some
// 64 bits: the series of log((1 + s) / (1 - s)) with its first two terms in double-double
// arithmetic (Dekker) and a minimax rest (derive.py).
//
// Special values after C99 F.9.4.4 and s7.5.1 of the OpenCL C specification. Most follow from
// log 0 = -infinity and log infinity = infinity; the functions here are for |x|, and what calls them
// adds the sign, and what an exponent of zero or a base of one make of it.
//
// In float the logarithm is one to base 2, a sum of two floats with some 33 bits, by the same series with its first two
// coefficients as sums of two floats; the rest is from Sollya's fpminimax (derive.sollya).
//
// Bounds: within 1 ulp in float, rootn within 2; in double within 1.2 ulp.

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

// x^y for x zero, infinite or NaN, but for y = 0.
double __pow_limit(double x, double y)
{
    double exponent = y * (x == 0.0 ? -(double)INFINITY : x);
    return exponent > 0.0 ? (double)INFINITY : exponent < 0.0 ? 0.0 : exponent;
}

// x^(y + y_low) for x with a clear sign bit. What has no limit, like 0^0, is NaN.
double __pow_positive(double x, double y, double y_low)
{
    double turns = 0.0;
    if (!__is_plain(x)) {
        if (!(x > 0.0 && x < (double)INFINITY))
            return __pow_limit(x, y);
        x *= 0x1p+54;
        turns = -54.0;
    }
    double log_low;
    double log_high = __log_pair(x, turns, &log_low);
    double high = y * log_high;
    return __exp_pair(high, fma(y, log_high, -high) + fma(y, log_low, y_low * log_high));
}

// log2(x) as the nearest float and what is missing from it. One of them is infinite or NaN if x is zero, infinite, negative
// or NaN; the first is NaN, or what log2 is.
float __log2_pair(float x, private float *low)
{
    float k;
    float f = __split_single(x, &k);
    float d = 2.0f + f;
    float d_low = f - (d - 2.0f);
    float inverse = 1.0f / d;
    float s = f * inverse;
    float s_low = fma(-s, d_low, fma(-s, d, f)) * inverse;
    float z = s * s;
    float z_low = fma(s, s, -z) + 2.0f * s * s_low;
    // log2((1 + s) / (1 - s)) = s (a + z (b + z P(z)))
    float p = fma(0x1.5479dap-2f, z, 0x1.a5f4e0p-2f);
    p = z * fma(p, z, 0x1.2776ccp-1f);
    float b = 0x1.ec709ep-1f + p;
    float b_low = (0x1.ec709ep-1f - b) + p - 0x1.e2fe02p-28f;
    float c = z * b;
    float c_low = fma(z, b, -c) + fma(z, b_low, z_low * b);
    float a = 0x1.715476p+1f + c;
    float a_low = (0x1.715476p+1f - a) + c + (c_low + 0x1.4ae0c0p-25f);
    float high = s * a;
    float rest = fma(s, a, -high) + fma(s, a_low, s_low * a);
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
    float log_low;
    float log_high = __log2_pair(x, &log_low);
    float high = y * log_high;
    float rest = fma(y, log_low, fma(y, log_high, -high));
    return __exp2_pair(high, fma(y_low, log_high, rest));
}

// pow(x, y), where value is |x|^y.
double __pow_signed(double x, double y, double value)
{
    double size = fabs(x);
    double v = (y == 0.0) | (size == 1.0) ? 1.0 : value;
    if (as_long(x) < 0) {
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
    return __pow_signed(x, y, __pow_positive(fabs(x), y, 0.0));
}

__ext(exact_math) __each floatn pow(floatn x, floatn y)
{
    float size = fabs(x);
    float power = __pow_size(size, y, 0.0f);
    float v = (y == 0.0f) | (size == 1.0f) ? 1.0f : power;
    if (as_int(x) < 0) {
        float half_way = 0.5f * y;
        int is_whole = trunc(y) == y;
        int is_odd = is_whole & (trunc(half_way) != half_way);
        int has_limit = (size == 0.0f) | (size == INFINITY);
        // A NaN of either stays.
        v = is_odd ? -v : is_whole | has_limit ? v : NAN;
    }
    return v;
}

// The sign of x if n is odd.
double __sign_if_odd(double v, double x, int n)
{
    return as_double(as_long(v) ^ (as_long(x) & ((long)n << 63)));
}

__ext(cl_khr_fp64) __each doublen pown(doublen x, intn y)
{
    double v = __sign_if_odd(__pow_positive(fabs(x), y, 0.0), x, y);
    return y == 0 ? 1.0 : v;
}

// The same in float.
float __with_sign_if_odd(float v, float x, int n) { return as_float(as_int(v) ^ (as_int(x) & (n << 31))); }

__each floatn pown(floatn x, intn n)
{
    float y = (float)n;
    float y_low = (float)(n - (int)y);
    float v = __with_sign_if_odd(__pow_size(fabs(x), y, y_low), x, n);
    return n == 0 ? 1.0f : v;
}

__ext(cl_khr_fp64) __each doublen powr(doublen x, doublen y)
{
    double v = __pow_positive(fabs(x), y, 0.0);
    return x < 0.0 ? (double)NAN : v;
}

__ext(exact_math) __each floatn powr(floatn x, floatn y) { return __pow_size(x, y, 0.0f); }

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
    return __rootn_special(x, n, __pow_positive(fabs(x), y, y_low));
}

__each floatn rootn(floatn x, intn n)
{
    float divisor = (float)n;
    float y = 1.0f / divisor;
    float y_low = fma(-y, divisor, 1.0f) * y;
    float v = __with_sign_if_odd(__pow_size(fabs(x), y, y_low), x, n);
    int none = (n == 0) | (!(n & 1) & (x < 0.0f));
    return none ? NAN : v;
}
