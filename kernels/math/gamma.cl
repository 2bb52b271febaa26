// s6.13.2: gamma functions. Up to 12 by the recurrence from gamma on [2, 3] (a minimax
// polynomial, derive.py), beyond by Stirling's series (Abramowitz and Stegun 6.1.40) with the exponent
// as a sum of two doubles, negative arguments by reflection with an exact sine of pi x. tgamma of float is
// Stirling's formula from 3 on, with a minimax rest.
//
// Bounds: tgamma within 4 ulp (float: 0.51). lgamma: the float version computes in double, within
// 0.51 ulp; the double version within 16 ulp, but near its zeros below 0 only the absolute error is
// small (2^-52). The specification sets no bound for lgamma.

// gamma(x) for 0 < x <= 12.
double __gamma_small(double x)
{
    double product = 1.0;
    double divisor = 1.0;
    double y = x;
    while (y >= 3.0) {
        y -= 1.0;
        product *= y;
    }
    if (y < 2.0) {
        int below_one = y < 1.0;
        divisor = below_one ? y * (y + 1.0) : y;
        y = below_one ? y + 2.0 : y + 1.0;
    }
    double t = y - 2.0;
    double tt = t * t;
    double p = fma(0x1.6a463e57318f7p-23, tt, 0x1.f5cd2f3575ccdp-19);
    p = fma(p, tt, 0x1.bd667056de5acp-16);
    p = fma(p, tt, 0x1.f78fa48f7a89cp-14);
    p = fma(p, tt, 0x1.00f75d90fc669p-11);
    p = fma(p, tt, 0x1.13c3c0e6d57dep-9);
    p = fma(p, tt, 0x1.6d7eea208fb0fp-7);
    p = fma(p, tt, 0x1.301fbb0f0c34ap-4);
    p = fma(p, tt, 0x1.a5b978b96beafp-2);
    double odd = fma(-0x1.e8a8316ecf622p-27, tt, -0x1.06234d5b3d71ap-20);
    odd = fma(odd, tt, -0x1.6d97100332f2fp-17);
    odd = fma(odd, tt, -0x1.e65de5358354ep-15);
    odd = fma(odd, tt, -0x1.f7bf579e2b63cp-13);
    odd = fma(odd, tt, -0x1.e2152e66e2e43p-11);
    odd = fma(odd, tt, -0x1.75e6d2cad2394p-9);
    odd = fma(odd, tt, -0x1.17f37248e54bdp-12);
    odd = fma(odd, tt, 0x1.4e23998465e99p-4);
    p = fma(odd, t, p);
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

// log gamma(x) for x > 12, to some 64 bits.
double __gamma_exponent(double x, private double *low)
{
    double log_low;
    double log_high = __log_pair(x, 0.0, &log_low);
    double t = x - 0.5;
    double product = t * log_high;
    double product_low = fma(t, log_high, -product) + t * log_low;
    double sum = product - x;
    double rest = ((product - sum) - x) + product_low;
    double tail = 0x1.d67f1c864beb5p-1 + __stirling(x);
    double high = sum + tail;
    *low = ((sum - high) + tail) + rest;
    return high;
}

__outlined double __tgamma_edge(double x)
{
    double size = fabs(x);
    if (size < 0x1p-60)
        return 1.0 / x;
    if (!(x < 0.0) || floor(x) == x)
        return x > 0.0 ? x : (double)NAN;
    // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    double v = -0x1.921fb54442d18p+1 / (x * __sinpi(x));
    if (size <= 12.0)
        return v / __gamma_small(size);
    // In two steps: gamma(-x) may overflow where gamma(x) does not yet vanish.
    double low;
    double high = __gamma_exponent(fmin(size, 200.0), &low);
    double root = __exp_pair(-0.5 * high, -0.5 * low);
    return v * root * root;
}

__ext(cl_khr_fp64) __each doublen tgamma(doublen x)
{
    if (!((x >= 0x1p-60) & (x < (double)INFINITY)))
        return __tgamma_edge(x);
    if (x <= 12.0)
        return __gamma_small(x);
    double low;
    double high = __gamma_exponent(fmin(x, 200.0), &low);
    return __exp_pair(high, low);
}

// gamma(x) for x > 0 to 30 bits: Stirling's formula from 3 on, with a minimax rest, and below by
// three steps of the recurrence.
double __gamma_single(double x)
{
    double y = x > 100.0 ? 100.0 : x;
    int small = y < 3.0;
    double divisor = small ? y * (y + 1.0) * (y + 2.0) : 1.0;
    y = small ? y + 3.0 : y;
    double inverse = 1.0 / (y * divisor);
    double u = divisor * inverse;
    double z = u * u;
    double p = fma(-0x1.cf0a8b24e3b24p-12, z, 0x1.9a19f22a8e890p-11);
    p = fma(p, z, -0x1.6c0b99ba272d5p-9);
    p = fma(p, z, 0x1.5555549f60db2p-4);
    double exponent = fma(y - 0.5, __log_single(y), fma(u, p, 0x1.d67f1c864beb5p-1 - y));
    return __exp_single(exponent) * (y * inverse);
}

__each floatn tgamma(floatn x)
{
    double y = x;
    double v = __gamma_single(fabs(y));
    if (!(y > 0.0)) {
        double reflected = -0x1.921fb54442d18p+1 / (y * __sinpi_single(y) * v);
        v = y == 0.0 ? 1.0 / y : floor(y) == y ? (double)NAN : reflected;
    }
    return (float)v;
}

// log gamma(x) for x in [1/2, 3], exact to a few units also next to its zeros at 1 and 2:
// log gamma(2 + t) = t P(t), and log gamma(1 + t) is that less log(1 + t).
double __lgamma_near(double x)
{
    double t = x < 1.5 ? x - 1.0 : x - 2.0;
    double p = 0x1.01bea1024e198p-29;
    p = fma(p, t, -0x1.d5b15ac473b41p-27);
    p = fma(p, t, 0x1.93c09eab3c388p-25);
    p = fma(p, t, -0x1.d5ea700e138dfp-24);
    p = fma(p, t, 0x1.d8339e935b7edp-23);
    p = fma(p, t, -0x1.e15482822ccb2p-22);
    p = fma(p, t, 0x1.fe667552403f0p-21);
    p = fma(p, t, -0x1.118768dff9e38p-19);
    p = fma(p, t, 0x1.25aa3ff00bd25p-18);
    p = fma(p, t, -0x1.3cc19f7e20595p-17);
    p = fma(p, t, 0x1.580d47e5e7410p-16);
    p = fma(p, t, -0x1.78de1b51d1215p-15);
    p = fma(p, t, 0x1.a127b1f3d6366p-14);
    p = fma(p, t, -0x1.d3fd4e38f928bp-13);
    p = fma(p, t, 0x1.0b36af8a843dfp-11);
    p = fma(p, t, -0x1.38ac5c2891a0bp-10);
    p = fma(p, t, 0x1.7add6ead9d57ep-9);
    p = fma(p, t, -0x1.e404fc2196167p-8);
    p = fma(p, t, 0x1.51322ac7d85d8p-6);
    p = fma(p, t, -0x1.13e001a5575f1p-4);
    p = fma(p, t, 0x1.4a34cc4a60fa6p-2);
    p = fma(p, t, 0x1.b0ee6072093cep-2);
    double v = t * p;
    return x < 1.5 ? v - __log1p(t) : v;
}

// log gamma(x) for x > 0.
double __lgamma_positive(double x)
{
    if (x >= 0.5 && x <= 3.0)
        return __lgamma_near(x);
    if (x > 12.0)
        return fma(x - 0.5, __log(x) - 1.0, 0x1.d67f1c864beb5p-1 - 0.5) + __stirling(x);
    if (x < 0x1p-60)
        return -__log(x);
    return __log(__gamma_small(x));
}

__outlined double __lgamma_negative(double x, private int *sign)
{
    if (floor(x) == x) {
        *sign = 0;
        return (double)INFINITY;
    }
    double sine = __sinpi(x);
    *sign = sine < 0.0 ? -1 : 1;
    if (x > -0x1p-60)
        return -__log(-x);
    return __log(0x1.921fb54442d18p+1 / fabs(sine)) - __lgamma_positive(1.0 - x);
}

double __lgamma(double x, private int *sign)
{
    *sign = 1;
    if (x <= 0.0)
        return __lgamma_negative(x, sign);
    return __lgamma_positive(x);
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
