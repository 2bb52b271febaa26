// s6.13.2: powers, as exp(y log x). For double the logarithm is a sum of two doubles with some
// 64 bits: the series of log((1 + s) / (1 - s)) with its first two terms in double-double
// arithmetic (Dekker) and a minimax rest (derive.py).
//
// Special values after C99 F.9.4.4 and s7.5.1 of the OpenCL C specification. Most follow from
// log 0 = -infinity and log infinity = infinity; the functions here are for |x|, and what calls them
// adds the sign, and what an exponent of zero or a base of one make of it.
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions within 1.2 ulp.

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

// log(x) in single precision for x with a clear sign bit.
double __log_size_single(double x)
{
    double infinity = INFINITY;
    double value = x > 0.0 ? __log_single(x) : -infinity;
    return x < infinity ? value : x;
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
    double base = x;
    double exponent = y;
    double value = __exp_single(exponent * __log_size_single(fabs(base)));
    return (float)__pow_signed(base, exponent, value);
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

__each floatn pown(floatn x, intn y)
{
    double base = x;
    double v = __exp_single(y * __log_size_single(fabs(base)));
    return y == 0 ? 1.0f : (float)__sign_if_odd(v, base, y);
}

__ext(cl_khr_fp64) __each doublen powr(doublen x, doublen y)
{
    double v = __pow_positive(fabs(x), y, 0.0);
    return x < 0.0 ? (double)NAN : v;
}

__ext(exact_math) __each floatn powr(floatn x, floatn y)
{
    double base = x;
    return (float)__exp_single(y * __log_special(base, __log_single(base)));
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
    return __rootn_special(x, n, __pow_positive(fabs(x), y, y_low));
}

__each floatn rootn(floatn x, intn n)
{
    double base = x;
    double v = __exp_single(__log_size_single(fabs(base)) / n);
    return (float)__rootn_special(base, n, v);
}
