// s6.13.2: hyperbolic functions and their inverses, by expm1, exp and log1p. Inverses of float are
// log((1 + s) / (1 - s)) with one division for s: below a result of log sqrt(2) from x itself, above
// from the logarithm's argument u = 2^k m, as (m - 1) / (m + 1).
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions within 1.9 ulp,
// cosh within 2.1.

double __sinh(double x)
{
    double size = fabs(x);
    double e = __expm1_quarter(size);
    // Where the divisor overflows the second part vanishes.
    double v = copysign(2.0 * (e + e / fma(4.0, e, 1.0)), x);
    return size < 0x1p-60 ? x : v;
}

double __cosh(double x)
{
    double size = fabs(x);
    double y = size > 710.5 ? 710.5 : size;
    double shifted = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.62e42fefa39efp-1, y);
    double e = 1.0 + __expm1_reduced(r, -k * 0x1.abc9e3b39803fp-56);
    // A quarter of exp(x) is always finite.
    e *= as_double((as_ulong(shifted) << 52) + 0x3fd0000000000000);
    return 2.0 * (e + 0.0625 / e);
}

double __tanh(double x)
{
    double size = fabs(x);
    double e = 4.0 * __expm1_quarter(2.0 * size);
    double num = e;
    double start = 0.0;
    if (size >= 0.5) {
        num = -2.0;
        start = 1.0;
    }
    double v = copysign(start + num / (e + 2.0), x);
    return size < 0x1p-60 ? x : v;
}

double __asinh(double x)
{
    double size = fabs(x);
    double square = size * size;
    // Squares need not be finite.
    int large = size > 0x1p+28;
    double w = size + square / (1.0 + sqrt(1.0 + square));
    return copysign(__log1p_more(large ? size - 1.0 : w, large ? 1.0 : 0.0), x);
}

double __acosh(double x)
{
    double t = x - 1.0;
    int large = x > 0x1p+28;
    double w = t + sqrt(fma(t, t, 2.0 * t));
    double v = __log1p_more(large ? t : w, large ? 1.0 : 0.0);
    return x < 1.0 ? (double)NAN : v;
}

double __atanh(double x)
{
    double size = fabs(x);
    // Beyond one the logarithm's argument is negative.
    return copysign(0.5 * __log1p_more(2.0 * size / (1.0 - size), 0.0), x);
}

__ext(cl_khr_fp64) __each doublen sinh(doublen x) { return __sinh(x); }
__ext(cl_khr_fp64) __each doublen cosh(doublen x) { return __cosh(x); }
__ext(cl_khr_fp64) __each doublen tanh(doublen x) { return __tanh(x); }
__ext(cl_khr_fp64) __each doublen asinh(doublen x) { return __asinh(x); }
__ext(cl_khr_fp64) __each doublen acosh(doublen x) { return __acosh(x); }
__ext(cl_khr_fp64) __each doublen atanh(doublen x) { return __atanh(x); }

__each floatn sinh(floatn x)
{
    double e = __expm1_single(fabs((double)x));
    return (float)copysign(0.5 * (e + e / (e + 1.0)), (double)x);
}

__each floatn cosh(floatn x)
{
    double e = 0.5 * __exp_single(fabs((double)x));
    return (float)(e + 0.25 / e);
}

__each floatn tanh(floatn x)
{
    double e = __expm1_single(2.0 * fabs((double)x));
    return (float)copysign(e / (e + 2.0), (double)x);
}

// log(u), where s for small u, up to sqrt(2), is num / den.
double __log_from_single(double u, double num, double den)
{
    double k;
    double f = __split(u, &k);
    if (k != 0.0) {
        num = f;
        den = 2.0 + f;
    }
    return fma(k, 0x1.62e42fefa39efp-1, __log_ratio_single(num / den));
}

__each floatn asinh(floatn x)
{
    double size = fabs((double)x);
    double root = sqrt(fma(size, size, 1.0));
    double v = __log_from_single(size + root, size, 1.0 + root);
    return (float)copysign(size < (double)INFINITY ? v : size, (double)x);
}

__each floatn acosh(floatn x)
{
    double y = x;
    double root = sqrt(fma(y, y, -1.0));
    double v = __log_from_single(y + root, root, 1.0 + y);
    return (float)(y >= 1.0 ? (y < (double)INFINITY ? v : y) : (double)NAN);
}

__each floatn atanh(floatn x)
{
    double size = fabs((double)x);
    // 2^k near (1 + size) / (1 - size): the difference of bits is nearly that of logarithms.
    ulong bits = as_ulong(1.0 + size) - as_ulong(1.0 - size) + 0x0008000000000000;
    double k = as_double((bits >> 52) | 0x4330000000000000) - 0x1p+52;
    double scale = as_double((bits & 0xfff0000000000000) + 0x3ff0000000000000);
    double s = fma(size, 1.0 + scale, 1.0 - scale) / fma(size, 1.0 - scale, 1.0 + scale);
    double z = s * s;
    double p = fma(0x1.ef10aa87e9458p-4, z, 0x1.23dc54fbd9f7ep-3);
    p = fma(p, z, 0x1.999c20b660b83p-3);
    p = fma(p, z, 0x1.555553f0d8fb7p-2);
    double v = fma(k, 0x1.62e42fefa39efp-2, fma(s * z, p, s));
    v = size < 1.0 ? v : size == 1.0 ? (double)INFINITY : (double)NAN;
    return (float)copysign(v, (double)x);
}
