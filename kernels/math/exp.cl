// s6.13.2: exponentials. x = k ln 2 + r with |r| <= ln 2 / 2, then a minimax polynomial in r
// (derive.sollya, that of expm1 of double derive.py) and a scaling by 2^k. Reductions are Cody and Waite's with fused
// operations. k comes from adding 1.5 2^52: the sum ends in the bits of the nearest whole number, and
// shifted up by 52 they are what 2^k adds to the bits of a double.
//
// Long polynomials in this folder are summed as even and odd powers, side by side, since their time
// is in the length of the chain; the last, large terms follow one by one, for the error.
//
// In float the polynomial for (exp(r) - 1) / r is one of degree 5, whose first coefficient is 1; multiplied by r and added
// to 1 it is rounded once. r is exact but for one rounding: k is a whole number of 8 bits, and the upper part of ln 2 has
// 15. Coefficients are from Sollya's fpminimax (derive.sollya). exp scales by adding k to the bits, and takes another path
// where the result may not be normal.
//
// In double it is the same with a polynomial of degree 10 and parts of ln 2 of 53 bits: the first difference is exact,
// since it is no larger than one and ends where a part does, and the second is rounded.
//
// Bounds: exp within 0.91 ulp in float, exp2 0.90, exp10 0.99, expm1 1.61; in double exp within 0.91 ulp, exp2 0.85, exp10
// 0.95, expm1 1.4.

// v 2^k for a whole number k; see the op.
__op(fscale) float __scale_single(float v, float k);
__op(fscale) double __scale_double(double v, double k);

// 2^k for a normal result.
double __pow2(int k) { return as_double((long)(k + 1023) << 52); }

// 2^k, where shifted is 1.5 2^52 + k and the result is normal. Ready before the polynomial is, so that
// one multiplication is all it adds to the time until the result is there.
double __pow2_of(double shifted)
{
    return as_double((as_ulong(shifted) << 52) + 0x3ff0000000000000);
}

// exp(x + low) - 1 for |x| <= ln 2 / 2.
double __expm1_reduced(double x, double low)
{
    double r = x + low;
    double rest = (x - r) + low;
    double rr = r * r;
    double p = fma(0x1.28b070175ff3ep-22, rr, 0x1.a019966bfa7a8p-16);
    p = fma(p, rr, 0x1.6c16c185b4f03p-10);
    p = fma(p, rr, 0x1.555555554fff7p-5);
    double odd = fma(0x1.af85b422280fbp-26, rr, 0x1.71dddfad477f3p-19);
    odd = fma(odd, rr, 0x1.a01a01baf182ep-13);
    odd = fma(odd, rr, 0x1.111111110d607p-7);
    p = fma(odd, r, p);
    p = fma(p, r, 0x1.5555555555561p-3);
    p = fma(p, r, 0x1.000000000000cp-1);
    return r + fma(r * r, p, rest);
}

// (exp(r) - 1) / r for results in single precision.
double __expm1_ratio_single(double r)
{
    double p = 0x1.a1b871cf0c939p-13;
    p = fma(p, r, 0x1.6d96d37695d12p-10);
    p = fma(p, r, 0x1.11107c9eeae3fp-7);
    p = fma(p, r, 0x1.5554800101fa9p-5);
    p = fma(p, r, 0x1.5555559839879p-3);
    p = fma(p, r, 0x1.00000043118cdp-1);
    return fma(p, r, 1.0);
}

// exp(r) for |r| <= ln 2 / 2.
double __exp_reduced(double r)
{
    double rr = r * r;
    double p = fma(0x1.28a297ae52083p-22, rr, 0x1.a019a69a16ac1p-16);
    p = fma(p, rr, 0x1.6c16c17f310f4p-10);
    p = fma(p, rr, 0x1.5555555552107p-5);
    double odd = fma(0x1.ae778fd287fc9p-26, rr, 0x1.71de81022f1cap-19);
    odd = fma(odd, rr, 0x1.a01a0177f3158p-13);
    odd = fma(odd, rr, 0x1.1111111118832p-7);
    p = fma(odd, r, p);
    p = fma(p, r, 0x1.555555555553bp-3);
    p = fma(p, r, 0x1.0000000000005p-1);
    p = fma(p, r, 1.0);
    return fma(r, p, 1.0);
}

// r of x = k ln 2 + r, for |x| < 1100.
double __reduce_exp(double x, private double *k)
{
    double whole = fma(x, 0x1.71547652b82fep+0, 0x1.8p+52) - 0x1.8p+52;
    *k = whole;
    return fma(-whole, 0x1.abc9e3b39803fp-56, fma(-whole, 0x1.62e42fefa39efp-1, x));
}

// Beyond these limits the exponential is zero or infinite, whatever else.
double __limit_exp(double x)
{
    double y = x > 720.0 ? 720.0 : x;
    return y < -760.0 ? -760.0 : y;
}

// exp(x + low)
double __exp_pair(double x, double low)
{
    double sum = x + low;
    double y = __limit_exp(sum);
    int is_exact = y == sum;
    double k = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52) - 0x1.8p+52;
    double r = fma(-k, 0x1.62e42fefa39efp-1, is_exact ? x : y);
    r = fma(-k, 0x1.abc9e3b39803fp-56, r) + (is_exact ? low : 0.0);
    return __scale_double(__exp_reduced(r), k);
}

__ext(cl_khr_fp64) __each doublen exp(doublen x)
{
    double k;
    double r = __reduce_exp(__limit_exp(x), &k);
    return __scale_double(__exp_reduced(r), k);
}

// exp(x) where single precision is asked for; x and the result may lie far outside its range.
double __exp_single(double x)
{
    double y = x > 200.0 ? 200.0 : x < -200.0 ? -200.0 : x;
    double shifted = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.62e42fefa39efp-1, y);
    double scale = __pow2_of(shifted);
    return fma(scale * r, __expm1_ratio_single(r), scale);
}

// exp(r) for |r| <= ln 2 / 2.
float __exp_reduced(float r)
{
    float p = 0x1.6b7376p-10f;
    p = fma(p, r, 0x1.12279ep-7f);
    p = fma(p, r, 0x1.555716p-5f);
    p = fma(p, r, 0x1.5554b0p-3f);
    p = fma(p, r, 0x1.fffffep-2f);
    p = fma(p, r, 1.0f);
    return fma(r, p, 1.0f);
}

// Where the result may not be normal.
float __exp_beyond(float x)
{
    float y = x > 105.0f ? 105.0f : x < -105.0f ? -105.0f : x;
    float k;
    float r = __reduce_exp_single(y, &k);
    return __scale_single(__exp_reduced(r), k);
}

__each floatn exp(floatn x)
{
    float shifted;
    float r = __reduce_exp_shifted(x, &shifted);
    float v = as_float(as_int(__exp_reduced(r)) + (as_int(shifted) << 23));
    if (!(fabs(x) < 87.0f))
        v = __exp_beyond(x);
    return v;
}

// 2^r for |r| <= 1/2.
double __exp2_reduced(double r)
{
    double rr = r * r;
    double p = fma(0x1.eb5b6dca847abp-32, rr, 0x1.b523dc17cc7cp-24);
    p = fma(p, rr, 0x1.ffcbfd0180bcbp-17);
    p = fma(p, rr, 0x1.5d87fe7880441p-10);
    double odd = fma(0x1.e60559753eefap-28, rr, 0x1.62bfd4fe48998p-20);
    odd = fma(odd, rr, 0x1.430913093a11p-13);
    odd = fma(odd, rr, 0x1.3b2ab6fba1ee3p-7);
    p = fma(p, r, odd);
    p = fma(p, r, 0x1.c6b08d704a1acp-5);
    p = fma(p, r, 0x1.ebfbdff82c598p-3);
    p = fma(p, r, 0x1.62e42fefa39efp-1);
    return fma(r, p, 1.0);
}

__ext(cl_khr_fp64) __each doublen exp2(doublen x)
{
    double y = x > 1100.0 ? 1100.0 : x;
    y = y < -1100.0 ? -1100.0 : y;
    double k = rint(y);
    return __scale_double(__exp2_reduced(y - k), k);
}

// 2^r for |r| <= 1/2.
float __exp2_reduced(float r)
{
    float p = 0x1.427918p-13f;
    p = fma(p, r, 0x1.5ef4a2p-10f);
    p = fma(p, r, 0x1.3b2c58p-7f);
    p = fma(p, r, 0x1.c6af9ep-5f);
    p = fma(p, r, 0x1.ebfbdep-3f);
    p = fma(p, r, 0x1.62e430p-1f);
    return fma(p, r, 1.0f);
}

__each floatn exp2(floatn x)
{
    float y = x > 152.0f ? 152.0f : x < -152.0f ? -152.0f : x;
    float k = rint(y);
    return __scale_single(__exp2_reduced(y - k), k);
}

__ext(cl_khr_fp64) __each doublen exp10(doublen x)
{
    double y = x > 330.0 ? 330.0 : x;
    y = y < -330.0 ? -330.0 : y;
    double k = fma(y, 0x1.a934f0979a371p+1, 0x1.8p+52) - 0x1.8p+52;
    double r = fma(k, 0x1.9dc1da994fd21p-59, fma(-k, 0x1.34413509f79ffp-2, y));
    double rr = r * r;
    double p = fma(0x1.f40149bb8752bp-13, rr, 0x1.489b7577839ffp-8);
    p = fma(p, rr, 0x1.16e4de675e572p-4);
    p = fma(p, rr, 0x1.1429ffd2429cp-1);
    double odd = fma(0x1.2f66f0062c68p-10, rr, 0x1.41166a4dc37dfp-6);
    odd = fma(odd, rr, 0x1.a7ed709a9d29cp-3);
    odd = fma(odd, rr, 0x1.2bd7609fd6b4ep+0);
    p = fma(p, r, odd);
    p = fma(p, r, 0x1.0470591de2ae6p+1);
    p = fma(p, r, 0x1.53524c73cea6fp+1);
    p = fma(p, r, 0x1.26bb1bbb55516p+1);
    return __scale_double(fma(r, p, 1.0), k);
}

__each floatn exp10(floatn x)
{
    float y = x > 46.0f ? 46.0f : x < -46.0f ? -46.0f : x;
    float shifted = fma(y, 0x1.a934f0p+1f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    float r = fma(-k, 0x1.344000p-2f, y);
    r = fma(-k, 0x1.3509f8p-18f, r);
    float p = 0x1.a8dfa8p-3f;
    p = fma(p, r, 0x1.1560bap-1f);
    p = fma(p, r, 0x1.2bd77cp+0f);
    p = fma(p, r, 0x1.046fa8p+1f);
    p = fma(p, r, 0x1.53524cp+1f);
    p = fma(p, r, 0x1.26bb1cp+1f);
    return __scale_single(fma(p, r, 1.0f), k);
}

// (exp(x) - 1) / 4, which is finite wherever exp(x) / 2 is.
double __expm1_quarter(double x)
{
    double y = x > 710.5 ? 710.5 : x < -60.0 ? -60.0 : x;
    double shifted = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.62e42fefa39efp-1, y);
    double e = __expm1_reduced(r, -k * 0x1.abc9e3b39803fp-56);
    // 2^k (1 + e) - 1
    double scale = as_double((as_ulong(shifted) << 52) + 0x3fd0000000000000);
    return fma(scale, e, scale - 0.25);
}

double __expm1(double x)
{
    // A quarter of a subnormal number has too few bits.
    return fabs(x) < 0x1p-60 ? x : 4.0 * __expm1_quarter(x);
}

__ext(cl_khr_fp64) __each doublen expm1(doublen x) { return __expm1(x); }

// r of x = k ln 2 + r, |r| <= ln 2 / 2, for |x| < 110, and a number whose bits end in k. The upper part of ln 2 has 15 bits, so
// that its multiples are exact.
float __reduce_exp_shifted(float x, private float *shifted)
{
    *shifted = fma(x, 0x1.715476p+0f, 0x1.8p+23f);
    float k = *shifted - 0x1.8p+23f;
    return fma(-k, 0x1.7f7d1cp-20f, fma(-k, 0x1.62e4p-1f, x));
}

// The same with k as a number.
float __reduce_exp_single(float x, private float *k)
{
    float shifted;
    float r = __reduce_exp_shifted(x, &shifted);
    *k = shifted - 0x1.8p+23f;
    return r;
}

// (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2.
float __expm1_tail_single(float r)
{
    float p = 0x1.6ca9aap-10f;
    p = fma(p, r, 0x1.120ad0p-7f);
    p = fma(p, r, 0x1.55556cp-5f);
    p = fma(p, r, 0x1.5554dep-3f);
    return fma(p, r, 0.5f);
}

__each floatn expm1(floatn x)
{
    float y = x > 89.0f ? 89.0f : x;
    y = y < -89.0f ? -89.0f : y;
    float k;
    float r = __reduce_exp_single(y, &k);
    float z = r * r;
    float e = fma(z, __expm1_tail_single(r), r);
    // Half the result, since 2^128 is no float.
    float scale = __scale_single(0.5f, k);
    float v = fma(scale, e, scale - 0.5f);
    // Zeros keep their sign, and subnormals would lose a bit as halves.
    return z < 0x1p-100f ? x : v + v;
}
