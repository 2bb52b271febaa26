// s6.13.2: sine, cosine, tangent. The argument is brought to |r| <= pi/4 by multiples of pi/2:
// up to 2^30 with three parts of pi/2 and fused operations (Cody and Waite), fewer of them up to 2^20
// in double, beyond with as many bits of 2/pi as it takes (Payne and Hanek, 1983). Then minimax
// polynomials (derive.py, those for multiples of pi and for tan derive.sollya). Multiples
// are found by adding 1.5 2^52, a sum that ends in the bits of the nearest whole number.
// Float versions take r as a difference of two floats, up to 12,800, and compute in double beyond; their coefficients are
// from Sollya's fpminimax (derive.sollya). sinpi and cospi reduce by whole multiples of pi, exactly, so that one polynomial
// gives both. tanpi, and tan of double, are a quotient of r and one polynomial, that of r / tan(r).
//
// Bounds: sin and cos within 0.89 ulp in float, tan 1.6, tanpi 1.65, sinpi and cospi 1.55; in double sin and cos within 0.9
// ulp, sinpi 1.3, cospi 1.5, tan 1.7, tanpi 2.0.

// 2/pi in binary, behind 64 zeros.
constant ulong __two_over_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d, 0xa9e391615ee61b08, 0x0000000000000000,
};

// 64 bits, from bit shift of the first word on.
ulong __bits_at(uint word, uint shift)
{
    return __two_over_pi[word] << shift | __two_over_pi[word + 1] >> 1 >> (63 - shift);
}

// r of a large argument, what is missing from it, and the multiple of pi/2, modulo 4.
__outlined double3 __reduce_large(double x)
{
    long bits = as_long(fabs(x));
    int exponent = (int)(bits >> 52) - 1075;
    ulong mantissa = ((ulong)bits & 0xfffffffffffffUL) | 0x10000000000000UL;
    // Bits of 2/pi before this one give multiples of 4.
    uint first = (uint)(exponent + 62);
    uint word = first >> 6;
    uint shift = first & 63;
    // The product modulo 2^192: two bits of quadrant, 190 of fraction.
    ulong last = __bits_at(word + 2, shift);
    ulong second = __bits_at(word + 1, shift);
    ulong a0 = mantissa * last;
    ulong a1 = mul_hi(mantissa, last);
    ulong b0 = mantissa * second;
    ulong b1 = mul_hi(mantissa, second);
    ulong middle = a1 + b0;
    ulong top = b1 + mantissa * __bits_at(word, shift) + (middle < a1 ? 1 : 0);
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
    double3 result = (double3)(r, r_low, q);
    // Infinity and NaN have no remainder.
    return fabs(x) < (double)INFINITY ? (x < 0.0 ? -result : result) : (double3)(x - x);
}

// r and what it is too large by, for |x| up to 2^30, with products as sums of two numbers, which are exact.
double __reduce_middle(double x, double k, private double *excess)
{
    double r0 = fma(-k, 0x1.921fb54442d18p+0, x);
    double p = k * 0x1.1a62633145c07p-54;
    double p_low = fma(k, 0x1.1a62633145c07p-54, -p);
    double r = r0 - p;
    double part = r - r0;
    *excess = (p + part) - (r0 - (r - part)) - fma(k, 0x1.f1976b7ed8fbcp-110, -p_low);
    return r;
}

// r, what it is too large by, the square of the difference, and bits that end in the multiple of pi/2.
double __reduce(double x, private double *excess, private double *square, private ulong *quadrant)
{
    double shifted = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    // Exact, as r is no larger than one and ends where pi/2 does. The second part has 33 bits, so that, up to 2^20, what the
    // next rounding takes is exact as well: where r is less than the product nothing is rounded.
    double r0 = fma(-k, 0x1.921fb54442d18p+0, x);
    double r = fma(-k, 0x1.1a626331p-54, r0);
    double rest = fma(k, 0x1.1701b839a2520p-88, fma(k, 0x1.1a626331p-54, r - r0));
    ulong q = as_ulong(shifted);
    if (fabs(x) > 0x1p+20) {
        r = __reduce_middle(x, k, &rest);
        if (fabs(x) > 0x1p+30) {
            double3 large = __reduce_large(x);
            r = large.x;
            rest = -large.y;
            q = (ulong)(long)large.z;
        }
    }
    *excess = rest;
    *square = fma(r, r, -((r + r) * rest));
    *quadrant = q;
    return r;
}

// sin(r - excess) and cos(r - excess) for |r| <= pi/4, where z is the square of the difference. Zero keeps its sign. The
// polynomials are of the square of r, which is there sooner: what excess counts in them is below a hundredth of an ulp.
double __sin_reduced(double r, double excess, double z)
{
    double rr = r * r;
    double p = 0x1.aaa492e7f039ep-41;
    p = fma(p, rr, -0x1.6120915b70ea2p-33);
    p = fma(p, rr, 0x1.ae64529643781p-26);
    p = fma(p, rr, -0x1.71de3a5337fd6p-19);
    p = fma(p, rr, 0x1.a01a01a018ad3p-13);
    p = fma(p, rr, -0x1.111111111110bp-7);
    p = fma(p, rr, 0x1.5555555555555p-3);
    return r - fma(r * z, p, excess);
}

double __cos_reduced(double r, double z)
{
    double rr = r * r;
    double p = 0x1.aac4e7fc14cf6p-45;
    p = fma(p, rr, -0x1.93933692439ccp-37);
    p = fma(p, rr, 0x1.1eed8ca232eefp-29);
    p = fma(p, rr, -0x1.27e4fb75fc2e8p-22);
    p = fma(p, rr, 0x1.a01a01a018dd7p-16);
    p = fma(p, rr, -0x1.6c16c16c16c10p-10);
    p = fma(p, rr, 0x1.5555555555555p-5);
    p = fma(p, rr, -0.5);
    return fma(p, z, 1.0);
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
double __turn(double sine, double cosine, ulong quadrant)
{
    double v = (quadrant & 1) == 0 ? sine : cosine;
    return as_double(as_ulong(v) ^ ((quadrant & 2) << 62));
}

// By quadrant: the tangent or minus its inverse.
double __turn_tan(double sine, double cosine, ulong quadrant)
{
    int is_even = (quadrant & 1) == 0;
    return (is_even ? sine : -cosine) / (is_even ? cosine : sine);
}

__ext(cl_khr_fp64) __each doublen sin(doublen x)
{
    double excess;
    double z;
    ulong q;
    double r = __reduce(x, &excess, &z, &q);
    return __turn(__sin_reduced(r, excess, z), __cos_reduced(r, z), q);
}

__ext(cl_khr_fp64) __each doublen cos(doublen x)
{
    double excess;
    double z;
    ulong q;
    double r = __reduce(x, &excess, &z, &q);
    return __turn(__sin_reduced(r, excess, z), __cos_reduced(r, z), q + 1);
}

__ext(cl_khr_fp64) __each doublen sincos(doublen x, __any doublen *cosine)
{
    double excess;
    double z;
    ulong q;
    double r = __reduce(x, &excess, &z, &q);
    double s = __sin_reduced(r, excess, z);
    double c = __cos_reduced(r, z);
    *cosine = __turn(s, c, q + 1);
    return __turn(s, c, q);
}

// By quadrant: tan(r - excess), and minus its inverse, for |r| <= pi/4. tan(r) = r / d with d = r / tan(r), a polynomial in
// r^2. What the excess and the rounding of d change is taken from the quotient, with 1 + 2/5 r^2 for 1 / d.
double __tan_reduced(double reduced, double excess, ulong quadrant)
{
    // The square need not wait for the difference, since it counts little where that is small.
    double z = reduced * reduced;
    double r = reduced - excess;
    double rest = (r - reduced) + excess;
    double zz = z * z;
    double p = fma(-0x1.9d12be9f569b1p-29, zz, -0x1.d8228094dd3c2p-23);
    p = fma(p, zz, -0x1.66a9278e781f5p-16);
    p = fma(p, zz, -0x1.1566abc0db6ap-9);
    double odd = fma(-0x1.6dbfaf9af48bdp-26, zz, -0x1.2278c4aec09b6p-19);
    odd = fma(odd, zz, -0x1.bbd7786539749p-13);
    odd = fma(odd, zz, -0x1.6c16c16c1626dp-6);
    p = fma(p, z, odd);
    p = fma(p, z, -0x1.5555555555556p-2);
    double d = fma(p, z, 1.0);
    double low = fma(p, z, 1.0 - d);
    int is_even = (quadrant & 1) == 0;
    double v = (is_even ? r : -d) / (is_even ? d : r);
    double change = fma(v, is_even ? low : rest, is_even ? rest : -low);
    return fma(is_even ? 1.0 : v, -(change * fma(z, 0.4, 1.0)), v);
}

__ext(cl_khr_fp64) __each doublen tan(doublen x)
{
    double excess;
    double z;
    ulong q;
    double r = __reduce(x, &excess, &z, &q);
    return __tan_reduced(r, excess, q);
}

// Reduction of a float: the parts of pi/2 that a double result needs.
double __reduce_single(double x, private ulong *quadrant)
{
    double shifted = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.921fb54442d18p+0, x);
    r = fma(-k, 0x1.1a62633145c07p-54, r);
    *quadrant = as_ulong(shifted);
    if (fabs(x) > 0x1p+30) {
        double3 large = __reduce_large(x);
        r = large.x;
        *quadrant = (ulong)(long)large.z;
    }
    return r;
}

// Reduces |x| <= 0x1.9p+13 to r - excess by multiples of pi/2, after Cody and Waite; the bits of *quadrant end in the
// multiple plus turns. The second of three parts of pi/2 has 11 bits, so that its product with the multiple is exact, and
// so is what a difference lost. All parts are positive, so that a negative zero stays one.
float __reduce_near(float x, float turns, private float *excess, private int *quadrant)
{
    float origin = 0x1.8p+23f + turns;
    float shifted = fma(x, 0x1.45f306p-1f, origin);
    float k = shifted - origin;
    // Exact, as r is no larger than one and ends where pi/2 does.
    float r0 = fma(-k, 0x1.921fb4p+0f, x);
    float r = fma(-k, 0x1.444p-24f, r0);
    *excess = fma(k, 0x1.68c234p-39f, fma(k, 0x1.444p-24f, r - r0));
    *quadrant = as_int(shifted);
    return r;
}

// The square of r - excess.
float __square_near(float r, float excess) { return fma(r, r, -((r + r) * excess)); }

// sin(r - excess) and cos(r - excess) for |r| <= pi/4, where z is the square of the difference.
float __sin_near(float r, float excess, float z)
{
    float p = fma(0x1.9aa852p-13f, z, -0x1.110bd4p-7f);
    p = fma(p, z, 0x1.555552p-3f);
    return r - fma(r * z, p, excess);
}

float __cos_near(float z)
{
    float p = fma(0x1.9a78acp-16f, z, -0x1.6c0e58p-10f);
    p = fma(p, z, 0x1.55554ep-5f);
    p = fma(p, z, -0.5f);
    return fma(z, p, 1.0f);
}

// By quadrant: sine, cosine, and their negatives.
float __turn_near(float sine, float cosine, int quadrant)
{
    float v = (quadrant & 1) == 0 ? sine : cosine;
    return as_float(as_int(v) ^ ((quadrant << 30) & (int)0x80000000));
}

// sin(r + turns pi) for |r| <= pi/2, where shifted is a multiple of 2 and turns; to 27 bits.
double __sin_half_turns(double r, double shifted)
{
    double z = r * r;
    double p = 0x1.5d387f59c55e3p-19;
    p = fma(p, z, -0x1.9f64413ed93f4p-13);
    p = fma(p, z, 0x1.110e7b24afe02p-7);
    p = fma(p, z, -0x1.555547eec0cd8p-3);
    // Zero keeps its sign. That of the result is there before the polynomial is.
    return as_double(as_ulong(r) ^ (as_ulong(shifted) << 63)) * fma(p, z, 0x1.ffffffd257fa1p-1);
}

// Sine and cosine up to 2^30, in double, by multiples of pi.
double __sin_far(double x)
{
    double shifted = fma(x, 0x1.45f306dc9c883p-2, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.921fb54442d18p+1, x);
    return __sin_half_turns(fma(-k, 0x1.1a62633145c07p-53, r), shifted);
}

double __cos_far(double x)
{
    // As the sine of x + pi/2.
    double shifted = fma(x, 0x1.45f306dc9c883p-2, 0.5) + 0x1.8p+52;
    double k = (shifted - 0x1.8p+52) - 0.5;
    double r = fma(-k, 0x1.921fb54442d18p+1, x);
    return __sin_half_turns(fma(-k, 0x1.1a62633145c07p-53, r), shifted);
}

__outlined float __sin_large(float x)
{
    ulong q;
    double r = __reduce_single((double)x, &q);
    return (float)__turn(__sin_reduced_single(r), __cos_reduced_single(r), q);
}

__outlined float __cos_large(float x)
{
    ulong q;
    double r = __reduce_single((double)x, &q);
    return (float)__turn(__sin_reduced_single(r), __cos_reduced_single(r), q + 1);
}

__outlined float __tan_large(float x)
{
    ulong q;
    double r = __reduce_single((double)x, &q);
    return (float)__turn_tan(__sin_reduced_single(r), __cos_reduced_single(r), q);
}

// Sine, cosine and tangent beyond what __reduce_near reduces.
float __sin_beyond(float x)
{
    float v = (float)__sin_far((double)x);
    if (fabs(x) > 0x1p+30f)
        v = __sin_large(x);
    return v;
}

float __cos_beyond(float x)
{
    float v = (float)__cos_far((double)x);
    if (fabs(x) > 0x1p+30f)
        v = __cos_large(x);
    return v;
}

float __tan_beyond(float x)
{
    float v = (float)(__sin_far((double)x) / __cos_far((double)x));
    if (fabs(x) > 0x1p+30f)
        v = __tan_large(x);
    return v;
}

__ext(exact_math) __each floatn sin(floatn x)
{
    float excess;
    int q;
    float r = __reduce_near(x, 0.0f, &excess, &q);
    float z = __square_near(r, excess);
    float v = __turn_near(__sin_near(r, excess, z), __cos_near(z), q);
    if (fabs(x) > 0x1.9p+13f)
        v = __sin_beyond(x);
    return v;
}

__ext(exact_math) __each floatn cos(floatn x)
{
    float excess;
    int q;
    float r = __reduce_near(x, 1.0f, &excess, &q);
    float z = __square_near(r, excess);
    float v = __turn_near(__sin_near(r, excess, z), __cos_near(z), q);
    if (fabs(x) > 0x1.9p+13f)
        v = __cos_beyond(x);
    return v;
}

__ext(exact_math) __each floatn sincos(floatn x, __any floatn *cosine)
{
    float excess;
    int q;
    float r = __reduce_near(x, 0.0f, &excess, &q);
    float z = __square_near(r, excess);
    float s = __sin_near(r, excess, z);
    float c = __cos_near(z);
    float v = __turn_near(s, c, q);
    float w = __turn_near(s, c, q + 1);
    if (fabs(x) > 0x1.9p+13f) {
        v = __sin_beyond(x);
        w = __cos_beyond(x);
    }
    *cosine = w;
    return v;
}

// By quadrant: tan(r - excess), and minus its inverse, for |r| <= pi/4.
float __tan_near(float r, float excess, int quadrant)
{
    float z = r * r;
    float p = fma(0x1.ff1e7ep-9f, z, 0x1.1afe60p-10f);
    p = fma(p, z, 0x1.48e5e0p-7f);
    p = fma(p, z, 0x1.61d538p-6f);
    p = fma(p, z, 0x1.ba5aaap-5f);
    p = fma(p, z, 0x1.111068p-3f);
    p = fma(p, z, 0x1.555556p-2f);
    float rest = fma(r * z, p, -fma(excess, z, excess));
    float t = r + rest;
    // The inverse, and what rounding t adds to it.
    float inverse = -1.0f / t;
    float t_low = (r - t) + rest;
    return (quadrant & 1) == 0 ? t : fma(inverse * inverse, t_low, inverse);
}

__ext(exact_math) __each floatn tan(floatn x)
{
    float excess;
    int q;
    float r = __reduce_near(x, 0.0f, &excess, &q);
    float v = __tan_near(r, excess, q);
    if (fabs(x) > 0x1.9p+13f)
        v = __tan_beyond(x);
    return v;
}

// Multiples of pi: the reduction is exact, and of the same steps for all numbers. |x| modulo 2 lies
// in [-1, 1]: its size, and the sine of its pi as that of b pi with 0 <= b <= 1/2.
double __reduce_pi(double x, private double *size, private double *b)
{
    double a = fabs(x);
    double t = fma(-2.0, rint(0.5 * a), a);
    double u = fabs(t);
    double rest = 1.0 - u;
    *size = u;
    *b = u < rest ? u : rest;
    return t;
}

// v with the sign of t, but no zero is negative.
double __signed_or_zero(double v, double t) { return copysign(v, t) + 0.0; }

// With the sign of x inverted if that of like is set.
double __flip(double x, double like)
{
    return as_double(as_ulong(x) ^ (as_ulong(like) & 0x8000000000000000));
}

float __flip(float x, float like) { return as_float(as_int(x) ^ (as_int(like) & (int)0x80000000)); }

// sin(pi r) for |r| <= 1/2, as r (c + P(r^2 - 3/16)) with a minimax P and a c near 2, so that P is small where the result is
// near one. P exceeds one where r is small, so that its product with r is not flushed unless r is. No zero is negative.
double __sinpi_half_turns(double r)
{
    double w = fma(r, r, -0.1875);
    double ww = w * w;
    double p = fma(0x1.9e3b63cce6cf4p-21, ww, 0x1.cb99ca4adfe66p-12);
    p = fma(p, ww, 0x1.352764ab6ea1dp-4);
    p = fma(p, ww, 0x1.1d6e4893ef29cp+1);
    p = fma(p, ww, 0x1.114e672885f9ap-3);
    double odd = fma(-0x1.5c172a75c0f55p-16, ww, -0x1.c1b0b9e1deac3p-8);
    odd = fma(odd, ww, -0x1.149339ceea85fp-1);
    odd = fma(odd, ww, -0x1.1170604b8824dp+2);
    return fma(r, 2.125, fma(r, fma(odd, w, p), 0.0));
}

double __sinpi(double x)
{
    double size = fabs(x);
    double k = rint(size);
    // Beyond 2^52 the bits of the sum do not end in k, but there r is zero.
    long is_odd = as_long(k + 0x1p+52) << 63;
    // No zero is negative but that of a negative number.
    return __flip(__sinpi_half_turns(as_double(as_long(size - k) ^ is_odd)), x);
}

double __cospi(double x)
{
    // From -1 to 1, exact.
    double t = fma(-2.0, rint(0.5 * x), x);
    return __sinpi_half_turns(0.5 - fabs(t));
}

// tan(pi b) = b / d with d = b / tan(pi b), a polynomial in b^2; beside odd multiples of 1/2 it is -d / b. Zeros of odd
// numbers are negative, and every other pole: b is brought to zeros of either sign.
double __tanpi(double x)
{
    double size = fabs(x);
    // From -1 to 1, exact.
    double t = fma(-2.0, rint(0.5 * size), size);
    // Bits that end in the multiple of 1/2 less one, and what t is larger by than the multiple.
    double shifted = fma(t, 2.0, 0x1.8p+52 + 3.0);
    double b = fma(-0.5, shifted - (0x1.8p+52 + 3.0), t);
    long q = as_long(shifted);
    double z = b * b;
    double zz = z * z;
    double p = fma(-0x1.34822ba246cf2p-1, zz, -0x1.45f82dc3e3407p-1);
    p = fma(p, zz, -0x1.47473f1962eeep-1);
    p = fma(p, zz, -0x1.60c8539c17f35p-1);
    double odd = fma(-0x1.c15fb5fcb7ea6p-1, zz, -0x1.474b4f128b963p-1);
    odd = fma(odd, zz, -0x1.464672454cd1ap-1);
    odd = fma(odd, zz, -0x1.4b9a2f38c961dp-1);
    p = fma(odd, z, p);
    p = fma(p, z, -0x1.0c152382d737cp+0);
    p = fma(p, z, 0x1.7cc1b727220abp-8);
    double d = 0.3125 + p;
    double minus = as_double((q << 62) & (long)0x8000000000000000) - b;
    long turn = q << 63;
    double v = (turn < 0 ? minus : d) / (turn < 0 ? d : minus);
    return as_double(as_long(v) ^ turn ^ (as_long(x) & (long)0x8000000000000000));
}

__ext(cl_khr_fp64) __each doublen sinpi(doublen x) { return __sinpi(x); }
__ext(cl_khr_fp64) __each doublen cospi(doublen x) { return __cospi(x); }
__ext(cl_khr_fp64) __each doublen tanpi(doublen x) { return __tanpi(x); }

// The sine of pi r for |r| <= 1/2, to 35 bits.
double __sinpi_reduced_single(double r)
{
    double z = r * r;
    double p = -0x1.cc3206d8d904dp-8;
    p = fma(p, z, 0x1.500fe27e1d6bdp-4);
    p = fma(p, z, -0x1.32d1117820eeap-1);
    p = fma(p, z, 0x1.466bbfbf85046p+1);
    p = fma(p, z, -0x1.4abbce4f101f6p+2);
    return r * fma(p, z, 0x1.921fb5441e32dp+1);
}

double __sinpi_single(double x)
{
    double u;
    double b;
    double t = __reduce_pi(x, &u, &b);
    return __flip(__signed_or_zero(__sinpi_reduced_single(b), t), x);
}

// The same in float.
float __sinpi_half_turns(float r)
{
    float w = fma(r, r, -0.1875f);
    float p = fma(0x1.3dabbap-4f, w, -0x1.148484p-1f);
    p = fma(p, w, 0x1.1d6dfcp+1f);
    p = fma(p, w, -0x1.117062p+2f);
    p = fma(p, w, 0x1.114e68p-3f);
    return fma(r, 2.125f, fma(r, p, 0.0f));
}

__each floatn sinpi(floatn x)
{
    float size = fabs(x);
    float k = rint(size);
    // Beyond 2^23 the bits of the sum do not end in k, but there r is zero.
    int odd = as_int(k + 0x1p+23f) << 31;
    float v = __sinpi_half_turns(as_float(as_int(size - k) ^ odd));
    // No zero is negative but that of a negative number.
    return __flip(v, x);
}

__each floatn cospi(floatn x)
{
    // From -1 to 1, exact.
    float t = fma(-2.0f, rint(0.5f * x), x);
    return __sinpi_half_turns(0.5f - fabs(t));
}

float __tanpi_beyond(float x)
{
    double u;
    double b;
    double t = __reduce_pi((double)x, &u, &b);
    double sine = __signed_or_zero(__sinpi_reduced_single(b), t);
    return (float)__flip(sine / __sinpi_reduced_single(0.5 - u), (double)x);
}

// tan(pi b) = b / d with d = b / tan(pi b), a polynomial in b^2; beside odd multiples of 1/2 it is -d / b. What rounding
// takes from d is made good in the quotient, with 3.6 for 1 / d. Zeros of odd numbers are negative, and every other pole.
__each floatn tanpi(floatn x)
{
    float size = fabs(x);
    // Bits that end in the multiple less one, and what the multiple is larger by than size.
    float origin = 0x1.8p+23f + 3.0f;
    float shifted = fma(size, 2.0f, origin);
    float b = fma(0.5f, shifted - origin, -size);
    int q = as_int(shifted);
    float z = b * b;
    float p = fma(-0x1.80304ep-1f, z, -0x1.485de2p-1f);
    p = fma(p, z, -0x1.60db46p-1f);
    p = fma(p, z, -0x1.0c151p+0f);
    p = fma(p, z, 0x1.7cc1bp-8f);
    float d = 0.3125f + p;
    float low = (0.3125f - d) + p;
    int turn = q << 31;
    float v = (turn < 0 ? b : d) / (turn < 0 ? d : b);
    v = fma(v, as_float(as_int(low * 3.6f) ^ turn), v);
    int edge = b == 0.0f ? q << 30 : 0;
    v = as_float(as_int(v) ^ turn ^ ((as_int(x) ^ edge) & (int)0x80000000));
    if (size > 0x1p+20f)
        v = __tanpi_beyond(x);
    return v;
}
