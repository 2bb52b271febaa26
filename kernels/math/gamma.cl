// s6.13.2: gamma functions. Up to 12 by the recurrence from gamma on [2, 3] (a minimax
// polynomial, derive.py), beyond by Stirling's series (Abramowitz and Stegun 6.1.40), negative
// arguments by reflection with an exact sine of pi x.
//
// Bounds: tgamma within 6 ulp (float: 0.51). lgamma: the float version computes in double, within
// 0.51 ulp; the double version within 16 ulp, but near its zeros at 1, 2 and below 0 only the
// absolute error is small (2^-52). The specification sets no bound for lgamma.

// gamma(x) for 0 < x <= 13.
double __gamma_small(double x)
{
    double product = 1.0;
    double divisor = 1.0;
    double y = x;
    for (int i = 0; i < 11; i++) {
        double down = y - 1.0;
        product = y >= 3.0 ? product * down : product;
        y = y >= 3.0 ? down : y;
    }
    for (int i = 0; i < 2; i++) {
        divisor = y < 2.0 ? divisor * y : divisor;
        y = y < 2.0 ? y + 1.0 : y;
    }
    double t = y - 2.0;
    double p = -0x1.e8a8316ecf622p-27;
    p = fma(p, t, 0x1.6a463e57318f7p-23);
    p = fma(p, t, -0x1.06234d5b3d71ap-20);
    p = fma(p, t, 0x1.f5cd2f3575ccdp-19);
    p = fma(p, t, -0x1.6d97100332f2fp-17);
    p = fma(p, t, 0x1.bd667056de5acp-16);
    p = fma(p, t, -0x1.e65de5358354ep-15);
    p = fma(p, t, 0x1.f78fa48f7a89cp-14);
    p = fma(p, t, -0x1.f7bf579e2b63cp-13);
    p = fma(p, t, 0x1.00f75d90fc669p-11);
    p = fma(p, t, -0x1.e2152e66e2e43p-11);
    p = fma(p, t, 0x1.13c3c0e6d57dep-9);
    p = fma(p, t, -0x1.75e6d2cad2394p-9);
    p = fma(p, t, 0x1.6d7eea208fb0fp-7);
    p = fma(p, t, -0x1.17f37248e54bdp-12);
    p = fma(p, t, 0x1.301fbb0f0c34ap-4);
    p = fma(p, t, 0x1.4e23998465e99p-4);
    p = fma(p, t, 0x1.a5b978b96beafp-2);
    p = fma(p, t, 0x1.b0ee6072093cep-2);
    p = fma(p, t, 0x1.0000000000000p+0);
    return p * product / divisor;
}

// The rest of Stirling's series at x >= 12.
double __stirling(double x)
{
    double u = 1.0 / x;
    double z = u * u;
    double p = 0x1.6fe96381e0680p-3;
    p = fma(p, z, -0x1.e4286cb0f5398p-6);
    p = fma(p, z, 0x1.a41a41a41a41ap-8);
    p = fma(p, z, -0x1.f6ab0d9993c7dp-10);
    p = fma(p, z, 0x1.b951e2b18ff23p-11);
    p = fma(p, z, -0x1.3813813813814p-11);
    p = fma(p, z, 0x1.a01a01a01a01ap-11);
    p = fma(p, z, -0x1.6c16c16c16c17p-9);
    p = fma(p, z, 0x1.5555555555555p-4);
    return u * p;
}

// gamma(x) for x > 0 as a product of two: x^(x - 1/2) in halves, since it overflows before
// gamma does.
double __gamma_halves(double x, private double *second)
{
    double y = fmin(x, 200.0);
    int far = y > 12.0;
    double half_power = __pow_positive(far ? y : 13.0, 0.5 * (far ? y : 13.0) - 0.25, 0.0);
    double first = half_power * __exp_pair(-y, 0.0) * 0x1.40d931ff62706p+1;
    first = fma(first, __expm1(__stirling(far ? y : 13.0)), first);
    *second = far ? half_power : 1.0;
    return far ? first : __gamma_small(y);
}

double __tgamma(double x)
{
    double size = fabs(x);
    double second;
    double first = __gamma_halves(size, &second);
    // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    double reflected = -0x1.921fb54442d18p+1 / (x * __sinpi(x)) / first / second;
    double v = x > 0.0 ? first * second : reflected;
    v = size < 0x1p-60 ? 1.0 / x : v;
    v = x < 0.0 && floor(x) == x ? (double)NAN : v;
    return x != x ? x : v;
}

__ext(cl_khr_fp64) __each doublen tgamma(doublen x) { return __tgamma(x); }
__each floatn tgamma(floatn x) { return (float)__tgamma(x); }

// log gamma(x) for x > 0.
double __lgamma_positive(double x)
{
    double large = (x - 0.5) * (__log(x) - 1.0) + (0x1.d67f1c864beb5p-1 - 0.5) + __stirling(x);
    double v = x > 12.0 ? large : __log(__gamma_small(x));
    v = x < 0x1p-60 ? -__log(x) : v;
    return x == 1.0 || x == 2.0 ? 0.0 : v;
}

double __lgamma(double x, private int *sign)
{
    double size = fabs(x);
    int pole = x <= 0.0 && floor(x) == x;
    double sine = __sinpi(x);
    *sign = pole ? 0 : x < 0.0 && sine < 0.0 ? -1 : 1;
    double v = __lgamma_positive(x < 0.0 ? 1.0 - x : x);
    double reflected = __log(0x1.921fb54442d18p+1 / fabs(sine)) - v;
    v = x < 0.0 ? reflected : v;
    v = size < 0x1p-60 ? -__log(size) : v;
    v = pole || size == (double)INFINITY ? (double)INFINITY : v;
    return x != x ? x : v;
}

__ext(cl_khr_fp64) __each doublen lgamma(doublen x)
{
    int sign;
    return __lgamma(x, &sign);
}

__each floatn lgamma(floatn x)
{
    int sign;
    return (float)__lgamma(x, &sign);
}

__ext(cl_khr_fp64) __each doublen lgamma_r(doublen x, __any intn *signp)
{
    int sign;
    double v = __lgamma(x, &sign);
    *signp = sign;
    return v;
}

__each floatn lgamma_r(floatn x, __any intn *signp)
{
    int sign;
    float v = (float)__lgamma(x, &sign);
    *signp = sign;
    return v;
}
