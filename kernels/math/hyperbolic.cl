// s6.13.2: hyperbolic functions and their inverses, by expm1, exp and log1p.
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions within 1.9 ulp,
// cosh within 2.1.

double __sinh(double x)
{
    double size = fabs(x);
    double e = __expm1(size > 700.0 ? 0.5 * size : size);
    // Above 700 through the square of the root, which does not overflow too early.
    double large = 0.5 * (e + 1.0) * (e + 1.0);
    double v = size > 700.0 ? large : 0.5 * (e + e / (e + 1.0));
    return copysign(v, x);
}

double __cosh(double x)
{
    double size = fabs(x);
    double e = __exp_pair(size > 700.0 ? 0.5 * size : size, 0.0);
    return size > 700.0 ? 0.5 * e * e : 0.5 * e + 0.5 / e;
}

double __tanh(double x)
{
    double size = fabs(x);
    double e = __expm1(2.0 * size);
    double v = size > 22.0 ? 1.0 : size < 0.5 ? e / (e + 2.0) : 1.0 - 2.0 / (e + 2.0);
    return x != x ? x : copysign(v, x);
}

double __asinh(double x)
{
    double size = fabs(x);
    double square = size * size;
    double small = __log1p(size + square / (1.0 + sqrt(1.0 + square)));
    double large = __log1p(size - 1.0) + 0x1.62e42fefa39efp-1;
    return copysign(size > 0x1p+28 ? large : small, x);
}

double __acosh(double x)
{
    double t = x - 1.0;
    double near = __log1p(t + sqrt(fma(t, t, 2.0 * t)));
    double far = __log1p(t) + 0x1.62e42fefa39efp-1;
    return x < 1.0 ? (double)NAN : x > 0x1p+28 ? far : near;
}

double __atanh(double x)
{
    double size = fabs(x);
    double v = 0.5 * __log1p(2.0 * size / (1.0 - size));
    return size > 1.0 ? (double)NAN : copysign(v, x);
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
    double e = __exp_single(fabs((double)x));
    return (float)(0.5 * e + 0.5 / e);
}

__each floatn tanh(floatn x)
{
    double size = fmin(fabs((double)x), 50.0);
    double e = __expm1_single(2.0 * size);
    float v = (float)copysign(e / (e + 2.0), (double)x);
    return x != x ? x : v;
}

__each floatn asinh(floatn x)
{
    double size = fabs((double)x);
    double square = size * size;
    double v = __log1p_single(size + square / (1.0 + sqrt(1.0 + square)));
    return (float)copysign(fabs(x) == INFINITY ? (double)INFINITY : v, (double)x);
}

__each floatn acosh(floatn x)
{
    double t = (double)x - 1.0;
    double v = __log1p_single(t + sqrt(t * (t + 2.0)));
    return x < 1.0f ? NAN : (float)v;
}

__each floatn atanh(floatn x)
{
    double size = fabs((double)x);
    double v = 0.5 * __log1p_single(2.0 * size / (1.0 - size));
    return size > 1.0 ? NAN : (float)copysign(v, (double)x);
}
