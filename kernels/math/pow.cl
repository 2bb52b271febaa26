// s6.13.2: powers, as exp(y log x). For double the logarithm is a sum of two doubles with some
// 64 bits: the series of log((1 + s) / (1 - s)) with its first two terms in double-double
// arithmetic (Dekker) and a minimax rest (derive.py).
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions within 1.2 ulp. Special values after C99 F.9.4.4 and s7.5.1 of the OpenCL C specification.

// log(x) as the nearest double and what is missing from it; x is positive and finite.
double __log_pair(double x, private double *low)
{
    int k;
    double f = __split(x, &k);
    double t = 2.0 + f;
    double t_low = f - (t - 2.0);
    double s = f / t;
    double s_low = (fma(-s, t, f) - s * t_low) / t;
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
    double whole = k * 0x1.62e42feep-1;
    double sum = whole + high;
    double part = sum - whole;
    rest += (whole - (sum - part)) + (high - part);
    rest = fma((double)k, 0x1.a39ef35793c76p-33, rest);
    // The rest may be as large as 2^-14: exp takes apart only what precedes it.
    double log_high = sum + rest;
    *low = (sum - log_high) + rest;
    return log_high;
}

// x^(y + y_low) for x positive and finite, y finite.
double __pow_positive(double x, double y, double y_low)
{
    double log_low;
    double log_high = __log_pair(x, &log_low);
    double high = y * log_high;
    double low = fma(y, log_high, -high) + fma(y, log_low, y_low * log_high);
    // A product that overflows has no rest.
    return __exp_pair(high, fabs(high) < 1000.0 ? low : 0.0);
}

// The same in single precision.
double __pow_positive_single(double x, double y) { return __exp_single(y * __log_single(x)); }

// |x|^y when x is zero or infinite; rises says that x^y does so with x.
double __pow_of_limit(double size, int rises)
{
    return (size == 0.0) == rises ? 0.0 : (double)INFINITY;
}

// Special values of pow: value is |x|^y for ordinary arguments.
double __pow_special(double x, double y, double value, int is_whole, int is_odd)
{
    double size = fabs(x);
    double infinity = INFINITY;
    value = size == 0.0 || size == infinity ? __pow_of_limit(size, y > 0.0) : value;
    if (fabs(y) == infinity)
        value = size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? infinity : 0.0;
    value = x < 0.0 && !is_whole && size != infinity ? (double)NAN : value;
    value = is_odd ? copysign(value, x) : value;
    value = x != x || y != y ? x + y : value;
    return y == 0.0 || x == 1.0 ? 1.0 : value;
}

double __pow_double(double x, double y)
{
    int is_whole = trunc(y) == y;
    int is_odd = is_whole && fabs(y) < 0x1p+53 && ((long)y & 1);
    return __pow_special(x, y, __pow_positive(fabs(x), y, 0.0), is_whole, is_odd);
}

__ext(cl_khr_fp64) __each doublen pow(doublen x, doublen y) { return __pow_double(x, y); }

__ext(exact_math) __each floatn pow(floatn x, floatn y)
{
    int is_whole = trunc(y) == y;
    int is_odd = is_whole && fabs(y) < 0x1p+24f && ((int)y & 1);
    double value = __pow_positive_single(fabs(x), y);
    return (float)__pow_special(x, y, value, is_whole, is_odd);
}

__ext(cl_khr_fp64) __each doublen pown(doublen x, intn y)
{
    return __pow_special(x, y, __pow_positive(fabs(x), y, 0.0), 1, y & 1);
}

__each floatn pown(floatn x, intn y)
{
    return (float)__pow_special(x, y, __pow_positive_single(fabs(x), y), 1, y & 1);
}

// Special values of powr, where x is not negative.
double __powr_special(double x, double y, double value)
{
    double size = fabs(x);
    double infinity = INFINITY;
    value = size == 0.0 || size == infinity ? __pow_of_limit(size, y > 0.0) : value;
    if (fabs(y) == infinity)
        value = size == 1.0 ? (double)NAN : (size > 1.0) == (y > 0.0) ? infinity : 0.0;
    if (y == 0.0)
        value = size == 0.0 || size == infinity ? (double)NAN : 1.0;
    value = x < 0.0 ? (double)NAN : value;
    return x != x || y != y ? x + y : value;
}

__ext(cl_khr_fp64) __each doublen powr(doublen x, doublen y)
{
    return __powr_special(x, y, __pow_positive(fabs(x), y, 0.0));
}

__ext(exact_math) __each floatn powr(floatn x, floatn y)
{
    return (float)__powr_special(x, y, __pow_positive_single(fabs(x), y));
}

// Special values of rootn.
double __rootn_special(double x, int n, double value)
{
    double size = fabs(x);
    double infinity = INFINITY;
    value = size == 0.0 || size == infinity ? __pow_of_limit(size, n > 0) : value;
    value = n & 1 ? copysign(value, x) : x < 0.0 ? (double)NAN : value;
    return n == 0 ? (double)NAN : x != x ? x : value;
}

__ext(cl_khr_fp64) __each doublen rootn(doublen x, intn n)
{
    double y = 1.0 / n;
    double y_low = fma(-y, (double)n, 1.0) / n;
    return __rootn_special(x, n, __pow_positive(fabs(x), y, y_low));
}

__each floatn rootn(floatn x, intn n)
{
    return (float)__rootn_special(x, n, __exp_single(__log_single(fabs(x)) / n));
}
