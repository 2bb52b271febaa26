// s6.13.2: exponentials. x = k ln 2 + r with |r| <= ln 2 / 2, then a minimax polynomial in r
// (derive.py) and a scaling by 2^k. Reductions are Cody and Waite's with fused operations.
// k comes from adding 1.5 2^52: the sum ends in the bits of the nearest whole number, and
// shifted up by 52 they are what 2^k adds to the bits of a double.
//
// Long polynomials in this folder are summed as even and odd powers, side by side, since their time
// is in the length of the chain; the last, large terms follow one by one, for the error.
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions within 0.9 ulp,
// exp10 within 1.3, expm1 within 1.4.

// 2^k for a normal result.
double __pow2(int k) { return as_double((long)(k + 1023) << 52); }

// v 2^k, rounded once, where shifted is 1.5 2^52 + k, |k| < 2044 and v is near one.
double __scale(double v, double shifted)
{
    ulong bits = as_ulong(shifted);
    ulong half_way = bits >> 1;
    double first = as_double((half_way << 52) + 0x3ff0000000000000);
    double second = as_double((bits - half_way << 52) + 0x3ff0000000000000);
    return v * first * second;
}

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

// exp(x + low).
double __exp_pair(double x, double low)
{
    // Beyond these limits the result is zero or infinite, whatever else.
    double y = x > 720.0 ? 720.0 : x < -760.0 ? -760.0 : x;
    double rest = y == x ? low : 0.0;
    double shifted = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.62e42fefa39efp-1, y);
    rest = fma(-k, 0x1.abc9e3b39803fp-56, rest);
    return __scale(1.0 + __expm1_reduced(r, rest), shifted);
}

__ext(cl_khr_fp64) __each doublen exp(doublen x) { return __exp_pair(x, 0.0); }

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

__ext(exact_math) __each floatn exp(floatn x) { return (float)__exp_single(x); }

__ext(cl_khr_fp64) __each doublen exp2(doublen x)
{
    double y = x > 1100.0 ? 1100.0 : x < -1100.0 ? -1100.0 : x;
    double shifted = y + 0x1.8p+52;
    double r = y - (shifted - 0x1.8p+52);
    double p = 0x1.ea1828c19e396p-32;
    p = fma(p, r, 0x1.e61ca95c8f0c2p-28);
    p = fma(p, r, 0x1.b524cdfe2f05cp-24);
    p = fma(p, r, 0x1.62bfc6cc2017fp-20);
    p = fma(p, r, 0x1.ffcbfc7c3de41p-17);
    p = fma(p, r, 0x1.4309130f2fc4fp-13);
    p = fma(p, r, 0x1.5d87fe78a0e4dp-10);
    p = fma(p, r, 0x1.3b2ab6fb9ff54p-7);
    p = fma(p, r, 0x1.c6b08d704a0d7p-5);
    p = fma(p, r, 0x1.ebfbdff82c5a5p-3);
    p = fma(p, r, 0x1.62e42fefa39efp-1);
    return __scale(fma(r, p, 1.0), shifted);
}

__ext(exact_math) __each floatn exp2(floatn x)
{
    double y = x > 200.0f ? 200.0f : x < -200.0f ? -200.0f : x;
    double shifted = y + 0x1.8p+52;
    double r = y - (shifted - 0x1.8p+52);
    double p = 0x1.00f0ebf590085p-16;
    p = fma(p, r, 0x1.445e50c02a7b8p-13);
    p = fma(p, r, 0x1.5d8723f312395p-10);
    p = fma(p, r, 0x1.3b29f12ad82ebp-7);
    p = fma(p, r, 0x1.c6b08df4677f4p-5);
    p = fma(p, r, 0x1.ebfbe07a72b71p-3);
    p = fma(p, r, 0x1.62e42fef7b269p-1);
    double scale = __pow2_of(shifted);
    return (float)fma(scale * r, p, scale);
}

__ext(cl_khr_fp64) __each doublen exp10(doublen x)
{
    double y = x > 330.0 ? 330.0 : x < -330.0 ? -330.0 : x;
    double shifted = fma(y, 0x1.a934f0979a371p+1, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double x0 = fma(-k, 0x1.34413509f79ffp-2, y);
    double low = k * 0x1.9dc1da994fd21p-59;
    double r = x0 + low;
    double rest = (x0 - r) + low;
    double rr = r * r;
    double p = fma(0x1.fc29da5b35ed0p-13, rr, 0x1.4897709685419p-8);
    p = fma(p, rr, 0x1.16e4dfd6b6aa1p-4);
    p = fma(p, rr, 0x1.1429ffd1d06f3p-1);
    p = fma(p, rr, 0x1.0470591de2cb2p+1);
    double odd = fma(0x1.2f75780040dc8p-10, rr, 0x1.41165d742c4d5p-6);
    odd = fma(odd, rr, 0x1.a7ed70a272d6ep-3);
    odd = fma(odd, rr, 0x1.2bd7609fd4d2dp+0);
    p = fma(odd, r, p);
    p = fma(p, r, 0x1.53524c73cea78p+1);
    p = fma(p, r, 0x1.26bb1bbb55516p+1);
    double v = 1.0 + fma(r, p, rest * 0x1.26bb1bbb55516p+1);
    return __scale(v, shifted);
}

__ext(exact_math) __each floatn exp10(floatn x)
{
    double y = x > 60.0f ? 60.0f : x < -60.0f ? -60.0f : x;
    double shifted = fma(y, 0x1.a934f0979a371p+1, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.34413509f79ffp-2, y);
    double p = 0x1.18081547c743ep-4;
    p = fma(p, r, 0x1.a9adb5339856ap-3);
    p = fma(p, r, 0x1.142952d14cbfcp-1);
    p = fma(p, r, 0x1.2bd6a40cff58ep+0);
    p = fma(p, r, 0x1.04705969c9d7fp+1);
    p = fma(p, r, 0x1.53524ccded91fp+1);
    p = fma(p, r, 0x1.26bb1bbb33927p+1);
    double scale = __pow2_of(shifted);
    return (float)fma(scale * r, p, scale);
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

double __expm1_single(double x)
{
    double y = x > 200.0 ? 200.0 : x < -200.0 ? -200.0 : x;
    double shifted = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.62e42fefa39efp-1, y);
    double scale = __pow2_of(shifted);
    return fma(scale * r, __expm1_ratio_single(r), scale - 1.0);
}

__each floatn expm1(floatn x) { return x == 0.0f ? x : (float)__expm1_single(x); }
