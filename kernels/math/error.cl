// s6.13.2: error functions. For double, erf(x) = x + x P(x^2) up to 1; beyond, erf(x) is 1 - g(x)^4, where g is a
// polynomial for the fourth root of erfc (a fit like erfc's of float, derive.sollya), and (1 + 2x) exp(x^2) erfc(x) is
// a polynomial in (x - 3.75) / (x + 3.75), after Shepherd and Laframboise (1981), with coefficients of
// our own (derive.py), for all x >= 0; up to 6 that of (x + 3.75) exp(x^2) erfc(x) is shorter. For float, in single
// precision: beyond 0.9 erf(x) is 1 - g(x)^4 as well; erfc is a product of exp(-x^2), a factor b / (x + a) and a
// polynomial in that (derive.sollya).
//
// Bounds: double versions: erf within 1.5 ulp, erfc within 6; float versions: erf within 1.79, erfc
// within 1.92.

double __erf_series(double x)
{
    double z = x * x;
    double zz = z * z;
    double p = fma(0x1.0579a08899394p-34, zz, 0x1.f7a41b6768ef8p-27);
    p = fma(p, zz, 0x1.b9def1de3f8ebp-20);
    p = fma(p, zz, 0x1.f9a321a195b9dp-14);
    p = fma(p, zz, 0x1.565bcd0db0530p-8);
    p = fma(p, zz, 0x1.ce2f21a042b21p-4);
    double odd = fma(-0x1.386acc14bb471p-30, zz, -0x1.5f1d38354a7c9p-23);
    odd = fma(odd, zz, -0x1.f4d1df40274b3p-17);
    odd = fma(odd, zz, -0x1.c02db3d8f264ep-11);
    odd = fma(odd, zz, -0x1.b82ce312849afp-6);
    p = fma(odd, z, p);
    p = fma(p, z, -0x1.812746b0379e6p-2);
    p = fma(p, z, 0x1.06eba8214db69p-3);
    return fma(x, p, x);
}

// erf(x) for x >= 1. Terms grow with t, but what errors in them count vanishes faster.
double __erf_far(double x)
{
    // From 5.93 on the result is one.
    double t = (x > 5.95 ? 5.95 : x) - 1.0;
    double tt = t * t;
    double p = fma(-0x1.a945b0111c6fcp-46, tt, -0x1.3af45dd229bb9p-36);
    p = fma(p, tt, -0x1.0d2099052e38dp-30);
    p = fma(p, tt, 0x1.06da52f9f1fe5p-29);
    p = fma(p, tt, -0x1.3058b0d693a86p-23);
    p = fma(p, tt, 0x1.e60e464757b79p-19);
    p = fma(p, tt, -0x1.33e16826f665ap-14);
    p = fma(p, tt, 0x1.9743a7db8baa2p-11);
    p = fma(p, tt, -0x1.082c9d17f7f0ap-8);
    double odd = fma(0x1.16f57d2fb77aep-40, tt, 0x1.85955b472ca80p-33);
    odd = fma(odd, tt, 0x1.47fff8d11f398p-29);
    odd = fma(odd, tt, -0x1.ad70ca026a6f4p-28);
    odd = fma(odd, tt, 0x1.1ffdec515bc60p-22);
    odd = fma(odd, tt, -0x1.3ebb9ef693d28p-17);
    odd = fma(odd, tt, 0x1.367ff9f3aea83p-12);
    odd = fma(odd, tt, -0x1.4325989250ad4p-8);
    odd = fma(odd, tt, 0x1.a0e537aeb5fa5p-5);
    p = fma(p, t, odd);
    p = fma(p, t, 0x1.1ad5cbacd3452p-8);
    p = fma(p, t, -0x1.a974fbfa9be22p-2);
    p = fma(p, t, 0x1.427126547746ep-1);
    p *= p;
    return fma(-p, p, 1.0);
}

// erfc(x) for x >= 0.
double __erfc_size(double x)
{
    double y = x > 28.0 ? 28.0 : x;
    // One division for t and for that of the polynomial.
    double up = y + 3.75;
    double last = fma(2.0, y, 1.0);
    double inverse = 1.0 / (up * last);
    double t = (y - 3.75) * (last * inverse);
    double tt = t * t;
    double p = fma(-0x1.3a9cff879223ep-29, tt, 0x1.1928275560057p-25);
    p = fma(p, tt, -0x1.0f86d81933593p-22);
    p = fma(p, tt, 0x1.d56af0657bfbbp-20);
    p = fma(p, tt, -0x1.7ffaf6a1b3ed3p-17);
    p = fma(p, tt, 0x1.b143b88b2e0a6p-15);
    p = fma(p, tt, 0x1.33fb24b6a84bcp-12);
    p = fma(p, tt, -0x1.3f603c3094e1fp-7);
    p = fma(p, tt, -0x1.e0d0fa6e1f698p-5);
    p = fma(p, tt, -0x1.bda9309a27abfp-4);
    p = fma(p, tt, 0x1.d5f29481594bcp-9);
    double odd = fma(-0x1.33de79234ecb1p-31, tt, 0x1.03185ad744960p-26);
    odd = fma(odd, tt, -0x1.941a6e50702c8p-25);
    odd = fma(odd, tt, -0x1.075000a1b6688p-20);
    odd = fma(odd, tt, 0x1.7799d94ac71b1p-16);
    odd = fma(odd, tt, -0x1.303fe69497eddp-12);
    odd = fma(odd, tt, 0x1.cc3a118201cccp-10);
    odd = fma(odd, tt, 0x1.d0b00377b9b56p-6);
    odd = fma(odd, tt, 0x1.7a14188ab200bp-4);
    odd = fma(odd, tt, 0x1.510169d095cc1p-4);
    p = fma(odd, t, p);
    p = fma(p, t, -0x1.1f367683f899bp-3);
    p = fma(p, t, 0x1.3ccda0b5d5dc2p+0);
    // exp(-y^2) with the square's rounding error.
    double square = y * y;
    double k;
    double r = __reduce_exp(-square, &k) - fma(y, y, -square);
    return __scale_double(p * (up * inverse) * __exp_reduced(r), k);
}

double __erf(double x)
{
    double size = fabs(x);
    return copysign(size < 1.0 ? __erf_series(size) : __erf_far(size), x);
}

// erfc(x) for 0 <= x < 6, where the result is normal, and a shorter polynomial does: of (x + 15/4) exp(x^2) erfc(x), with
// the quotient as a factor.
double __erfc_near(double x)
{
    double sum = x + 3.75;
    double u = 1.0 / sum;
    double t = fma(-7.5, u, 1.0);
    // What rounding the sum and the quotient took from u is u times this. It counts most in the first terms of the
    // polynomial; as a factor near one it goes into the exponential.
    double rest = fma(-u, x - (sum - 3.75), fma(-u, sum, 1.0));
    double near = fma(-7.5 * u, rest, t);
    double tt = t * t;
    double p = fma(0x1.93ea3c5a6e8eep-23, tt, 0x1.b149e9abd458bp-19);
    p = fma(p, tt, -0x1.174c7026bcf85p-17);
    p = fma(p, tt, 0x1.61b68854badfbp-17);
    p = fma(p, tt, 0x1.a0b701ce21c33p-11);
    p = fma(p, tt, -0x1.9ac6949b9b27ap-7);
    p = fma(p, tt, -0x1.0e3ea2252dcf4p-3);
    p = fma(p, tt, -0x1.f63dd81195586p-2);
    double even = fma(0x1.82d26d13e63f0p-20, tt, -0x1.0ef8eb479ea77p-19);
    even = fma(even, tt, 0x1.3b0d45fbcf164p-15);
    even = fma(even, tt, -0x1.6d9cd7133d684p-12);
    even = fma(even, tt, 0x1.0290220566bb8p-10);
    even = fma(even, tt, 0x1.92618b753c31bp-5);
    even = fma(even, tt, 0x1.1dc271189e378p-2);
    even = fma(even, tt, 0x1.78fecb4e81b14p-1);
    p = fma(p, t, even);
    p = fma(p, near, -0x1.eae02d0a14571p-1);
    p = fma(p, near, 0x1.178842825349dp+0);
    // exp(-x^2) with the square's rounding error.
    double square = x * x;
    double shifted = fma(-square, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.abc9e3b39803fp-56, fma(-k, 0x1.62e42fefa39efp-1, -square));
    r += rest - fma(x, x, -square);
    return as_double(as_ulong(p * u * __exp_reduced(r)) + (as_ulong(shifted) << 52));
}

double __erfc(double x)
{
    double size = fabs(x);
    double v = __erfc_near(size);
    if (!(size < 6.0))
        v = __erfc_size(size);
    return x < 0.0 ? 2.0 - v : v;
}

__ext(cl_khr_fp64) __each doublen erf(doublen x) { return __erf(x); }
__ext(cl_khr_fp64) __each doublen erfc(doublen x) { return __erfc(x); }

// erf(x) for |x| <= 0.9. The leading coefficient, 2 / sqrt(pi), is one and a small rest.
float __erf_near_single(float x)
{
    float z = x * x;
    float p = -0x1.3fc37ap-11f;
    p = fma(p, z, 0x1.4890acp-8f);
    p = fma(p, z, -0x1.b6c27ep-6f);
    p = fma(p, z, 0x1.ce1df4p-4f);
    p = fma(p, z, -0x1.8126f8p-2f);
    p = fma(p, z, 0x1.06eba6p-3f);
    return fma(x, p, x);
}

__each floatn erf(floatn x)
{
    float size = fabs(x);
    // From here on the result is one.
    float t = (size > 3.93f ? 3.93f : size) - 1.75f;
    float g = -0x1.f93534p-16f;
    g = fma(g, t, -0x1.f7088ap-14f);
    g = fma(g, t, 0x1.150a8ap-10f);
    g = fma(g, t, 0x1.27a5e4p-13f);
    g = fma(g, t, -0x1.b5a1b8p-7f);
    g = fma(g, t, 0x1.453430p-6f);
    g = fma(g, t, 0x1.6d4900p-4f);
    g = fma(g, t, -0x1.586b54p-2f);
    g = fma(g, t, 0x1.5bee7ap-2f);
    g *= g;
    return copysign(size < 0.9f ? __erf_near_single(size) : fma(-g, g, 1.0f), x);
}

// erfc(y) = 2^k v for y >= 0, with v a normal number, and bits that end in k. v is exp(r) u (1 + t Q(t)) with u = 7/8 / (y +
// 3/2) and t = u - c, where c is chosen for the one. u is within a third of the result at any y, so that what rounding the
// rest takes counts little.
float __erfc_parts(float y, private float *k, private int *bits)
{
    float sum = y + 1.5f;
    float u = 0.875f / sum;
    // What rounding the sum and the quotient took from u is u times this. It goes into the first t, and, as a factor near
    // one, into the exponential.
    float rest = fma(-u, y - (sum - 1.5f), fma(-u, sum, 0.875f)) * 0x1.24924ap+0f;
    float t = u - 0x1.e87b28p-3f;
    float tt = t * t;
    float p = fma(0x1.fcb878p+5f, tt, fma(-0x1.972900p+6f, t, 0x1.9c6490p+5f));
    float middle = fma(0x1.907086p+2f, t, -0x1.1c1c84p+4f);
    middle = fma(middle, tt, fma(0x1.0628a4p+2f, t, 0x1.322834p+2f));
    p = fma(p, tt * tt, middle);
    p = fma(p, tt, fma(-0x1.51d0a0p+1f, t, -0x1.c82f6cp+0f));
    p = fma(p, t, 0x1.565812p+0f);
    p = fma(p, t, 0x1.dd414ap+0f);
    float ut = u * fma(u, rest, t);
    float v = fma(ut, p, u);
    float low = fma(ut, p, u - v);
    float square = y * y;
    // With the square's rounding error.
    rest -= fma(y, y, -square);
    float shifted = fma(-square, 0x1.715476p+0f, 0x1.8p+23f);
    float whole = shifted - 0x1.8p+23f;
    float r = fma(-whole, 0x1.62e4p-1f, -square) + fma(-whole, 0x1.7f7d1cp-20f, rest);
    low = fma(v * (r * r), __expm1_tail_single(r), fma(low, r, low));
    *k = whole;
    *bits = as_int(shifted);
    return v + fma(v, r, low);
}

// Where the result may be subnormal.
float __erfc_beyond(float y)
{
    float k;
    int bits;
    float v = __erfc_parts(y > 10.1f ? 10.1f : y, &k, &bits);
    return __scale_single(v, k);
}

__each floatn erfc(floatn x)
{
    float size = fabs(x);
    float k;
    int bits;
    float v = __erfc_parts(size, &k, &bits);
    v = as_float(as_int(v) + (bits << 23));
    if (!(size < 9.1f))
        v = __erfc_beyond(size);
    return x < 0.0f ? 2.0f - v : v;
}
