// s6.13.2: error functions. For double, erf(x) = x + x P(x^2) up to 1; beyond, erf(x) is 1 - g(x)^4, where g is a
// polynomial for the fourth root of erfc (a fit like erfc's of float, derive.sollya), and (1 + 2x) exp(x^2) erfc(x) is
// a polynomial in (x - 3.75) / (x + 3.75), after Shepherd and Laframboise (1981), with coefficients of
// our own (derive.py), for all x >= 0. For float, in single precision: beyond 0.9 erf(x) is 1 - g(x)^4 as well;
// erfc beyond 0.8 by Shepherd and Laframboise's way with the one factor x + 49/16 (derive.sollya).
//
// Bounds: double versions: erf within 1.5 ulp, erfc within 6; float versions: erf within 1.79, erfc
// within 1.97.

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

double __erfc(double x)
{
    double v = __erfc_size(fabs(x));
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

// erfc(y) = exp(-y^2) u (1 + t Q(t)) with u = 1 / (y + 49/16) and t = u - c, where c is chosen for the one.
__each floatn erfc(floatn x)
{
    float size = fabs(x);
    float y = size > 10.1f ? 10.1f : size;
    float sum = y + 3.0625f;
    float u = 1.0f / sum;
    // What rounding the sum and the quotient took from u is u times this. It goes into t, and, as a factor
    // near one, into the exponential.
    float rest = fma(-u, y - (sum - 3.0625f), fma(-u, sum, 1.0f));
    float t = fma(u, rest, u - 0x1.301ba2p-3f);
    float p = -0x1.5c9b46p+10f;
    p = fma(p, t, -0x1.809724p+9f);
    p = fma(p, t, 0x1.0848e8p+7f);
    p = fma(p, t, 0x1.19d128p+8f);
    p = fma(p, t, 0x1.4a6ac4p+7f);
    p = fma(p, t, 0x1.030d3ep+6f);
    p = fma(p, t, 0x1.39821ap+4f);
    p = fma(p, t, 0x1.357aaep+2f);
    float ut = u * t;
    float v = fma(ut, p, u);
    float low = fma(ut, p, u - v);
    float square = y * y;
    // With the square's rounding error.
    rest -= fma(y, y, -square);
    float k = fma(-square, 0x1.715476p+0f, 0x1.8p+23f) - 0x1.8p+23f;
    float r = fma(-k, 0x1.62e4p-1f, -square) + fma(-k, 0x1.7f7d1cp-20f, rest);
    low = fma(v * (r * r), __expm1_tail_single(r), low);
    v = __scale_single(v + fma(v, r, low), k);
    v = x < 0.0f ? 2.0f - v : v;
    return size < 0.8f ? 1.0f - __erf_near_single(x) : v;
}
