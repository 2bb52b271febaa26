// s6.13.2: powers. In double they are exp(y log(x)), where the logarithm is a sum of two numbers with some 65 bits. x = 2^k z
// with z from 45/64 to 45/32, which is cut into 16 intervals. A table has a number c of six bits near 1 / z for each, one for
// the interval around 1, and the logarithm of 1 / c in two parts (Tang, 1990). r = z c - 1 is exact, and log(1 + r) is r -
// r^2 / 2 in two parts and a polynomial for the rest. In float powers are 2^(y log2(x)), the logarithm with 30 bits from the
// series of log2((1 + s) / (1 - s)), with its first coefficient as a sum of two numbers. Polynomials are from Sollya's
// fpminimax (derive.sollya).
//
// Special values after C99 F.9.4.4 and s7.5.1 of the OpenCL C specification. Most follow from
// log 0 = -infinity and log infinity = infinity; the functions here are for |x|, and what calls them
// adds the sign, and what an exponent of zero or a base of one make of it.
//
// In float, where x, y and the result are ordinary numbers, the parts of x are found by its bits, and 2^k is added to
// those of the result; all else takes a path of its own.
//
// Bounds: within 1.8 ulp in float, in double within 1.2 ulp.

// k and z of x 2^turns, which is positive, finite and not subnormal, and the place of z's interval in the table.
double __split_table(double x, double turns, private double *k, private ulong *place)
{
    ulong bits = as_ulong(x) + 0x0009800000000000;
    *k = as_double((bits >> 52) | 0x4330000000000000) - (0x1.00000000003ffp+52 - turns);
    *place = (bits >> 48 & 15) * 2;
    return as_double((bits & 0xfffffffffffff) + 0x3fe6800000000000);
}

// Bits of c and, in the lowest 44 of them, of what is missing from the number that follows, times 2^86, plus 2^43; and bits
// of -log(c) with 42 bits behind the point (derive.py).
constant ulong __log_table[32] = {
    0x3ff6093d82f484c8, 0xbfd4618bc21c6000,
    0x3ff58acf63d336e5, 0xbfd2e8e2bae12000,
    0x3ff488eab9555cca, 0xbfcfb9186d5e4000,
    0x3ff38ca5c4df67c5, 0xbfc9525a9cf46000,
    0x3ff30e161bc60efb, 0xbfc5ff3070a7a000,
    0x3ff28d6e59fd11c7, 0xbfc29552f8200000,
    0x3ff18d2d1906d992, 0xbfb6f0d28ae58000,
    0x3ff10bab33d066d2, 0xbfaf0a30c0118000,
    0x3ff084cffb30703f, 0xbf9f829b0e780000,
    0x3ff0080000000000, 0x0000000000000000,
    0x3fee0681a228ff67, 0x3fb08598b59e4000,
    0x3fec89a89401fa71, 0x3fbda72763844000,
    0x3feb06d8fdc14976, 0x3fc5bf406b544000,
    0x3fe9873dac0c5248, 0x3fcd1037f2656000,
    0x3fe88c7bde338b42, 0x3fd1178e8227e000,
    0x3fe70bd7ce102c99, 0x3fd522ae0738a000,
};

// log(x 2^turns) as a number and a rest of up to 2^-11 of it; x is positive, finite and not subnormal.
double __log_pair(double x, double turns, private double *low)
{
    double k;
    ulong place;
    double z = __split_table(x, turns, &k, &place);
    ulong packed = __log_table[place];
    double r = fma(z, as_double(packed & 0xfffff00000000000), -1.0);
    double minus_half = -0.5 * r;
    double half_square = minus_half * r;
    // -2 (log(1 + r) - r + r^2 / 2) / r^3.
    double p = fma(-0x1.77f23a8378e9ap+1, half_square, 0x1.c71b39f5e5d0fp+0);
    p = fma(p, half_square, -0x1.2492493028fd9p+0);
    p = fma(p, half_square, 0x1.999999999a2e1p-1);
    p = fma(p, half_square, -0x1.5555555555555p-1);
    double odd = fma(-0x1.9a69764e29963p+0, half_square, 0x1.ffffd575c0136p-1);
    odd = fma(odd, half_square, -0x1.55555556f5da8p-1);
    odd = fma(odd, half_square, 0x1.fffffffffff75p-2);
    p = fma(odd, r, p);
    // Each sum's first number is zero or the larger one.
    double whole = fma(k, 0x1.62e42fefa38p-1, as_double(__log_table[place + 1]));
    double sum = whole + r;
    double missing = as_double((packed & 0x00000fffffffffff) | 0x4330000000000000);
    double rest = fma(missing, 0x1p-86, fma(k, 0x1.ef35793c7673p-45, -0x1.008p-34)) + ((whole - sum) + r);
    double high = sum + half_square;
    rest += fma(minus_half, r, -half_square) + ((sum - high) + half_square);
    *low = fma(r * half_square, p, rest);
    return high;
}

// exp(high + rest) for high from -707 to 707, where the result is normal.
double __exp_pair_plain(double high, double rest)
{
    double shifted = fma(high + rest, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.abc9e3b39803fp-56, fma(-k, 0x1.62e42fefa39efp-1, high)) + rest;
    return as_double(as_ulong(__exp_reduced(r)) + (as_ulong(shifted) << 52));
}

// y log(x 2^turns) as a sum.
double __pow_exponent(double x, double turns, double y, double y_low, int is_root, private double *rest)
{
    double log_low;
    double log_high = __log_pair(x, turns, &log_low);
    double high = y * log_high;
    double low = fma(y, log_low, fma(y, log_high, -high));
    *rest = is_root ? fma(y_low, log_high, low) : low;
    return high;
}

// The same power of a subnormal number.
__outlined double __pow_small(double x, double y, double y_low)
{
    double rest;
    double high = __pow_exponent(x * 0x1p+54, -54.0, y, y_low, 1, &rest);
    if (fabs(high) < 1100.0)
        return __exp_pair(high, rest);
    return high > 0.0 ? (double)INFINITY : high < 0.0 ? 0.0 : high;
}

// x^(y + y_low) for x with a clear sign bit. Only roots have y_low. x^0 and 1^y are one if wanted, else NaN where there is
// no limit, like 0^0.
double __pow_size(double x, double y, double y_low, int is_root, int has_ones)
{
    double rest;
    double high = __pow_exponent(x, 0.0, y, y_low, is_root, &rest);
    double v = __exp_pair_plain(high, rest);
    if (!__is_plain(x) || !(fabs(high) < 707.0)) {
        double limit = __is_plain(x) ? high : y * __log_limit(x);
        v = limit > 0.0 ? (double)INFINITY : limit < 0.0 ? 0.0 : limit;
        v = __is_plain(x) && fabs(high) < 1100.0 ? __exp_pair(high, rest) : v;
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
