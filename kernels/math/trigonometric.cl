// s6.13.2: sine, cosine, tangent. The argument is brought to |r| <= pi/4 by multiples of pi/2:
// up to 2^20 with three parts of pi/2 and fused operations (Cody and Waite), beyond with as many
// bits of 2/pi as it takes (Payne and Hanek, 1983). Then minimax polynomials (derive.py).
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions within 0.8 ulp for
// sin, cos, sinpi and cospi, 2 for tan, 2.5 for tanpi.

// 2/pi in binary, behind 64 zeros.
constant uint __two_over_pi[] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
    0xa9e39161, 0x5ee61b08,
};

// r of a large argument, what is missing from it, and the multiple of pi/2, modulo 4.
__cold double3 __reduce_large(double x)
{
    long bits = as_long(fabs(x));
    int exponent = (int)(bits >> 52) - 1075;
    ulong mantissa = ((ulong)bits & 0xfffffffffffffUL) | 0x10000000000000UL;
    // Bits of 2/pi before this one give multiples of 4.
    uint first = (uint)(exponent + 62);
    uint word = first >> 5;
    uint shift = first & 31;
    ulong w[3];
    for (int i = 0; i < 3; i++) {
        ulong pair = (ulong)__two_over_pi[word + 2 * i] << 32 | __two_over_pi[word + 2 * i + 1];
        ulong next = __two_over_pi[word + 2 * i + 2];
        w[i] = pair << shift | next << 31 >> (63 - shift);
    }
    // The product modulo 2^192: two bits of quadrant, 190 of fraction.
    ulong a0 = mantissa * w[2];
    ulong a1 = mul_hi(mantissa, w[2]);
    ulong b0 = mantissa * w[1];
    ulong b1 = mul_hi(mantissa, w[1]);
    ulong middle = a1 + b0;
    ulong top = b1 + mantissa * w[0] + (middle < a1 ? 1 : 0);
    int q = (int)(top >> 62);
    ulong high = top << 2 | middle >> 62;
    ulong rest = middle << 2 | a0 >> 62;
    // To the nearest multiple.
    q += (int)(high >> 63);
    double upper = (double)(long)(high & ~0x7ffUL) * 0x1p-64;
    double lower = (double)(high & 0x7ff) * 0x1p-64 + (double)rest * 0x1p-128;
    double fraction = upper + lower;
    lower = (upper - fraction) + lower;
    double r = fraction * 0x1.921fb54442d18p+0;
    double r_low = fma(fraction, 0x1.921fb54442d18p+0, -r);
    r_low += fma(fraction, 0x1.1a62633145c07p-54, lower * 0x1.921fb54442d18p+0);
    int negative = x < 0.0;
    double3 result = (double3)(r, r_low, q);
    return negative ? -result : result;
}

double __reduce(double x, private double *low, private int *quadrant)
{
    double k = rint(x * 0x1.45f306dc9c883p-1);
    double r0 = fma(-k, 0x1.921fb54442d18p+0, x);
    double p = k * 0x1.1a62633145c07p-54;
    double p_low = fma(k, 0x1.1a62633145c07p-54, -p);
    double r = r0 - p;
    double part = r - r0;
    *low = (r0 - (r - part)) - (p + part) - p_low + k * 0x1.f1976b7ed8fbcp-110;
    *quadrant = (int)k;
    if (fabs(x) > 0x1p+20 && fabs(x) < (double)INFINITY) {
        double3 large = __reduce_large(x);
        r = large.x;
        *low = large.y;
        *quadrant = (int)large.z;
    }
    return r;
}

// sin(r + low) and cos(r + low) for |r| <= pi/4.
double __sin_reduced(double r, double low)
{
    double z = r * r;
    double p = -0x1.aaa492e7f039ep-41;
    p = fma(p, z, 0x1.6120915b70ea2p-33);
    p = fma(p, z, -0x1.ae64529643781p-26);
    p = fma(p, z, 0x1.71de3a5337fd6p-19);
    p = fma(p, z, -0x1.a01a01a018ad3p-13);
    p = fma(p, z, 0x1.111111111110bp-7);
    p = fma(p, z, -0x1.5555555555555p-3);
    return r + fma(r * z, p, low * fma(-0.5, z, 1.0));
}

double __cos_reduced(double r, double low)
{
    double z = r * r;
    double p = 0x1.aac4e7fc14cf6p-45;
    p = fma(p, z, -0x1.93933692439ccp-37);
    p = fma(p, z, 0x1.1eed8ca232eefp-29);
    p = fma(p, z, -0x1.27e4fb75fc2e8p-22);
    p = fma(p, z, 0x1.a01a01a018dd7p-16);
    p = fma(p, z, -0x1.6c16c16c16c10p-10);
    p = fma(p, z, 0x1.5555555555555p-5);
    double half_square = 0.5 * z;
    double w = 1.0 - half_square;
    return w + (((1.0 - w) - half_square) + fma(z * z, p, -r * low));
}

// The same to 37 bits.
double __sin_reduced_single(double r)
{
    double z = r * r;
    double p = 0x1.6cd737b45b093p-19;
    p = fma(p, z, -0x1.a00f99180f28dp-13);
    p = fma(p, z, 0x1.11110890f3e20p-7);
    p = fma(p, z, -0x1.5555554cb32c6p-3);
    return fma(r * z, p, r);
}

double __cos_reduced_single(double r)
{
    double z = r * r;
    double p = -0x1.2429fb4de6e1fp-22;
    p = fma(p, z, 0x1.a0111c12a75cbp-16);
    p = fma(p, z, -0x1.6c16b892b4d7fp-10);
    p = fma(p, z, 0x1.5555554f48bb3p-5);
    return fma(z * z, p, fma(-0.5, z, 1.0));
}

// By quadrant: sine, cosine, and their negatives.
double __turn(double sine, double cosine, int quadrant)
{
    double v = quadrant & 1 ? cosine : sine;
    return quadrant & 2 ? -v : v;
}

__ext(cl_khr_fp64) __each doublen sin(doublen x)
{
    double low;
    int q;
    double r = __reduce(x, &low, &q);
    double v = __turn(__sin_reduced(r, low), __cos_reduced(r, low), q);
    return x == 0.0 ? x : v;
}

__ext(cl_khr_fp64) __each doublen cos(doublen x)
{
    double low;
    int q;
    double r = __reduce(x, &low, &q);
    return __turn(__sin_reduced(r, low), __cos_reduced(r, low), q + 1);
}

__ext(cl_khr_fp64) __each doublen sincos(doublen x, __any doublen *cosine)
{
    double low;
    int q;
    double r = __reduce(x, &low, &q);
    double s = __sin_reduced(r, low);
    double c = __cos_reduced(r, low);
    *cosine = __turn(s, c, q + 1);
    return x == 0.0 ? x : __turn(s, c, q);
}

__ext(cl_khr_fp64) __each doublen tan(doublen x)
{
    double low;
    int q;
    double r = __reduce(x, &low, &q);
    double s = __sin_reduced(r, low);
    double c = __cos_reduced(r, low);
    double v = q & 1 ? -c / s : s / c;
    return x == 0.0 ? x : v;
}

// Reduction of a float: the parts of pi/2 that a double result needs.
double __reduce_single(double x, private int *quadrant)
{
    double k = rint(x * 0x1.45f306dc9c883p-1);
    double r = fma(-k, 0x1.921fb54442d18p+0, x);
    r = fma(-k, 0x1.1a62633145c07p-54, r);
    *quadrant = (int)k;
    if (fabs(x) > 0x1p+30 && fabs(x) < (double)INFINITY) {
        double3 large = __reduce_large(x);
        r = large.x;
        *quadrant = (int)large.z;
    }
    return r;
}

__ext(exact_math) __each floatn sin(floatn x)
{
    int q;
    double r = __reduce_single(x, &q);
    float v = (float)__turn(__sin_reduced_single(r), __cos_reduced_single(r), q);
    return x == 0.0f ? x : v;
}

__ext(exact_math) __each floatn cos(floatn x)
{
    int q;
    double r = __reduce_single(x, &q);
    return (float)__turn(__sin_reduced_single(r), __cos_reduced_single(r), q + 1);
}

__ext(exact_math) __each floatn sincos(floatn x, __any floatn *cosine)
{
    int q;
    double r = __reduce_single(x, &q);
    double s = __sin_reduced_single(r);
    double c = __cos_reduced_single(r);
    *cosine = (float)__turn(s, c, q + 1);
    return x == 0.0f ? x : (float)__turn(s, c, q);
}

__ext(exact_math) __each floatn tan(floatn x)
{
    int q;
    double r = __reduce_single(x, &q);
    double s = __sin_reduced_single(r);
    double c = __cos_reduced_single(r);
    return x == 0.0f ? x : (float)(q & 1 ? -c / s : s / c);
}

// Multiples of pi: the reduction is exact. x = k / 2 + r, and k modulo 4.
double __reduce_pi(double x, private int *quadrant)
{
    double k = rint(2.0 * x);
    *quadrant = (int)(k - 4.0 * floor(0.25 * k));
    return fabs(x) >= 0x1p+53 ? x - x : x - 0.5 * k;
}

int __quadrant_pi(double x, int quadrant) { return fabs(x) >= 0x1p+53 ? 0 : quadrant; }

// Sine and cosine of pi r for |r| <= 1/4.
double __sinpi_reduced(double r)
{
    double t = r * 0x1.921fb54442d18p+1;
    return __sin_reduced(t, fma(r, 0x1.921fb54442d18p+1, -t) + r * 0x1.1a62633145c07p-53);
}

double __cospi_reduced(double r)
{
    double t = r * 0x1.921fb54442d18p+1;
    return __cos_reduced(t, fma(r, 0x1.921fb54442d18p+1, -t) + r * 0x1.1a62633145c07p-53);
}

double __sinpi(double x)
{
    int q;
    double r = __reduce_pi(x, &q);
    q = __quadrant_pi(x, q);
    double v = __turn(__sinpi_reduced(r), __cospi_reduced(r), q);
    return v == 0.0 ? copysign(0.0, x) : v;
}

double __cospi(double x)
{
    int q;
    double r = __reduce_pi(x, &q);
    q = __quadrant_pi(x, q);
    double v = __turn(__sinpi_reduced(r), __cospi_reduced(r), q + 1);
    return v == 0.0 ? 0.0 : v;
}

double __tanpi(double x)
{
    int q;
    double r = __reduce_pi(x, &q);
    q = __quadrant_pi(x, q);
    double s = __sinpi_reduced(r);
    double c = __cospi_reduced(r);
    double v = q & 1 ? -c / s : s / c;
    // Signs of zero at whole numbers and of infinity between them.
    v = s == 0.0 && !(q & 1) ? copysign(0.0, q & 2 ? -x : x) : v;
    return s == 0.0 && (q & 1) ? (q & 2 ? -(double)INFINITY : (double)INFINITY) : v;
}

__ext(cl_khr_fp64) __each doublen sinpi(doublen x) { return __sinpi(x); }
__ext(cl_khr_fp64) __each doublen cospi(doublen x) { return __cospi(x); }
__ext(cl_khr_fp64) __each doublen tanpi(doublen x) { return __tanpi(x); }
__each floatn sinpi(floatn x) { return (float)__sinpi(x); }
__each floatn cospi(floatn x) { return (float)__cospi(x); }
__each floatn tanpi(floatn x) { return (float)__tanpi(x); }
