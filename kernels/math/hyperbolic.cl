// s6.13.2: hyperbolic functions and their inverses. With x = k ln 2 + r (Cody and Waite), a = 2^k / 2 and b = 2^-k / 2,
// sinh(x) is (a - b) cosh(r) + (a + b) sinh(r) and cosh(x) is (a + b) cosh(r) + (a - b) sinh(r), without a division;
// tanh(x) of float, by the theorem of addition, has one. Inverses of float are logarithms as in log.cl, with a polynomial of
// its own for small asinh; atanh is k ln 2 / 2 + atanh(s). For double tanh goes by expm1, asinh and acosh by log1p. Minimax
// polynomials (derive.sollya). All of float are in single precision.
//
// Bounds: double versions: sinh within 2.3 ulp (largest near 0.36), cosh 1.6, tanh 1.9, asinh 1.9, acosh 2.0, atanh 2.5;
// float versions: sinh within 1.82 ulp, cosh 1.83, tanh 1.95, asinh 1.57, acosh 1.70, atanh 1.74.

// sinh(r) for |r| <= ln 2 / 2, z = r^2.
double __sinh_reduced(double r, double z)
{
    double p = 0x1.af3f0b1ba0814p-26;
    p = fma(p, z, 0x1.71de0a3b5ee2dp-19);
    p = fma(p, z, 0x1.a01a01a9026b7p-13);
    p = fma(p, z, 0x1.111111111070bp-7);
    p = fma(p, z, 0x1.5555555555556p-3);
    return fma(r * z, p, r);
}

// cosh(r) - 1 for |r| <= ln 2 / 2, z = r^2.
double __cosh_reduced(double z)
{
    double p = 0x1.2891ce1557636p-22;
    p = fma(p, z, 0x1.a019b8bd36194p-16);
    p = fma(p, z, 0x1.6c16c178a972ep-10);
    p = fma(p, z, 0x1.5555555553cdfp-5);
    return fma(p, z, 0x1.0000000000001p-1) * z;
}

// sinh(r), cosh(r) - 1, and half of a + b and of a - b, where |x| = k ln 2 + r. Beyond 710.5 results are infinite; halves of
// them are finite up to there. b is zero where it would be subnormal.
void __hyperbolic_parts(double x, private double *s, private double *c, private double *sum, private double *difference)
{
    double size = fabs(x);
    double y = size > 710.5 ? 710.5 : size;
    double shifted = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52);
    double k = shifted - 0x1.8p+52;
    double r = fma(-k, 0x1.abc9e3b39803fp-56, fma(-k, 0x1.62e42fefa39efp-1, y));
    double z = r * r;
    *s = __sinh_reduced(r, z);
    *c = __cosh_reduced(z);
    long turns = as_long(shifted) << 52;
    double a = as_double(0x3fd0000000000000 + turns);
    double b = as_double(max(0x3fd0000000000000 - turns, 0L));
    *sum = a + b;
    *difference = a - b;
}

double __sinh(double x)
{
    double s;
    double c;
    double sum;
    double difference;
    __hyperbolic_parts(x, &s, &c, &sum, &difference);
    double v = fma(difference, c, fma(sum, s, difference));
    // Subnormals would lose a bit as halves.
    return fabs(x) < 0x1p-60 ? x : copysign(v + v, x);
}

double __cosh(double x)
{
    double s;
    double c;
    double sum;
    double difference;
    __hyperbolic_parts(x, &s, &c, &sum, &difference);
    // The largest term last.
    double v = fma(sum, c, difference * s) + sum;
    return v + v;
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

// As log1p(x + x^2 / (1 + root)).
double __asinh(double x)
{
    double size = fabs(x);
    double square = size * size;
    // Squares need not be finite.
    int large = size > 0x1p+28;
    double w = size + square / (1.0 + sqrt(1.0 + square));
    w = large ? fma(size, 0x1p-28, -1.0) : w;
    double v = __log1p_sum(w, __scaled_more(w), large ? 30.0 : 1.0);
    return copysign(size < (double)INFINITY ? v : x, x);
}

double __acosh(double x)
{
    double t = x - 1.0;
    int large = x > 0x1p+28;
    double w = t + sqrt(fma(t, t, t + t));
    w = large ? fma(x, 0x1p-28, -1.0) : w;
    double v = __log1p_sum(w, __scaled_more(w), large ? 30.0 : 1.0);
    v = x < (double)INFINITY ? v : x;
    return x < 1.0 ? (double)NAN : v;
}

// As the version for float.
double __atanh(double x)
{
    double size = fabs(x);
    double up = 1.0 + size;
    double past = size - 1.0;
    long bits = as_long(up) - as_long(past) + 0x0008000000000000 & 0x7ff0000000000000;
    double scale = as_double(bits + 0x3ff0000000000000);
    int far = size > 0.5;
    double v = far ? past : size;
    double num = fma(v, 1.0 + scale, far ? 2.0 : 1.0 - scale);
    double s = num / fma(v, 1.0 - scale, far ? 2.0 : 1.0 + scale);
    double z = s * s;
    double zz = z * z;
    double p = fma(0x1.380e8b75d69ccp-4, zz, 0x1.746eba3e2d6c2p-4);
    p = fma(p, zz, 0x1.2492496271c97p-3);
    p = fma(p, zz, 0x1.555555555557bp-2);
    double odd = fma(0x1.38bbd3d8fff9ap-4, zz, 0x1.c71c2dfe3ed75p-4);
    odd = fma(odd, zz, 0x1.999999996f4dcp-3);
    // The bits are 2^52 k.
    v = fma((double)bits, 0x1.62e42fefa39efp-54, fma(s * z, fma(odd, z, p), s));
    double edge = size == 1.0 ? (double)INFINITY : (double)NAN;
    return copysign(size < 1.0 ? v : edge, x);
}

__ext(cl_khr_fp64) __each doublen sinh(doublen x) { return __sinh(x); }
__ext(cl_khr_fp64) __each doublen cosh(doublen x) { return __cosh(x); }
__ext(cl_khr_fp64) __each doublen tanh(doublen x) { return __tanh(x); }
__ext(cl_khr_fp64) __each doublen asinh(doublen x) { return __asinh(x); }
__ext(cl_khr_fp64) __each doublen acosh(doublen x) { return __acosh(x); }
__ext(cl_khr_fp64) __each doublen atanh(doublen x) { return __atanh(x); }

// sinh(r) for |r| <= ln 2 / 2, z = r^2.
float __sinh_reduced_single(float r, float z)
{
    float p = fma(0x1.a3633ep-13f, z, 0x1.110f88p-7f);
    p = fma(p, z, 0x1.555556p-3f);
    return fma(r * z, p, r);
}

// cosh(r) - 1 for |r| <= ln 2 / 2, z = r^2.
float __cosh_reduced_single(float z)
{
    float p = fma(0x1.6d2e22p-10f, z, 0x1.555502p-5f);
    return fma(p, z, 0.5f) * z;
}

// sinh(r), cosh(r) - 1, and half of a and b, where x = k ln 2 + r. Beyond 89.5 results are infinite; halves of them are
// finite up to there. What would be subnormal is zero, which is added to much larger numbers. Returns the square of r.
float __hyperbolic_parts(float x, private float *s, private float *c, private float *a, private float *b)
{
    float y = x > 89.5f ? 89.5f : x;
    y = y < -89.5f ? -89.5f : y;
    float shifted;
    float r = __reduce_exp_shifted(y, &shifted);
    float z = r * r;
    *s = __sinh_reduced_single(r, z);
    *c = __cosh_reduced_single(z);
    int turns = as_int(shifted) << 23;
    *a = as_float(max(0x3e800000 + turns, 0));
    *b = as_float(max(0x3e800000 - turns, 0));
    return z;
}

__each floatn sinh(floatn x)
{
    float s;
    float c;
    float a;
    float b;
    float z = __hyperbolic_parts(x, &s, &c, &a, &b);
    float v = fma(a - b, c, fma(a + b, s, a - b));
    // Zeros keep their sign, and subnormals would lose a bit as halves.
    return z < 0x1p-100f ? x : v + v;
}

__each floatn cosh(floatn x)
{
    float s;
    float c;
    float a;
    float b;
    __hyperbolic_parts(x, &s, &c, &a, &b);
    // The largest term last.
    float v = fma(a + b, c, (a - b) * s) + (a + b);
    return v + v;
}

// With x = k ln 2 / 2 + r and t = tanh(r), tanh(x) is
// ((2^k - 1) + (2^k + 1) t) / ((2^k + 1) + (2^k - 1) t).
__each floatn tanh(floatn x)
{
    float size = fabs(x);
    float y = size > 10.0f ? 10.0f : size;
    // k is a little less than the nearest, so that k = 2 begins where the result is 1/2, whose unit is
    // twice as large. r grows with x, but an error in it counts less and less.
    float shifted = fma(y, 0x1.5d84p+1f, 0x1.8p+23f);
    float k = shifted - 0x1.8p+23f;
    float r = fma(-k, 0x1.62e430p-2f, y);
    float z = r * r;
    float p = fma(-0x1.ae538cp-5f, z, 0x1.1104bap-3f);
    p = fma(p, z, -0x1.555552p-2f);
    float t = fma(r * z, p, r);
    float scale = as_float((as_int(shifted) << 23) + 0x3f800000);
    float den = fma(scale - 1.0f, t, scale + 1.0f);
    float near = fma(scale + 1.0f, t, scale - 1.0f);
    // For large k from the rounded divisor: the quotient is 1 - 2 (1 - t) / den, so the divisor's error
    // counts only in what is missing to one.
    float far = fma(2.0f, t, den - 2.0f);
    return copysign((k > 1.0f ? far : near) / den, x);
}

__each floatn asinh(floatn x)
{
    float size = fabs(x);
    float z = x * x;
    float p = -0x1.b07e24p-7f;
    p = fma(p, z, 0x1.cf1bd4p-6f);
    p = fma(p, z, -0x1.6bfc08p-5f);
    p = fma(p, z, 0x1.332b5ep-4f);
    p = fma(p, z, -0x1.555550p-3f);
    float near = fma(size * z, p, size);
    // The logarithm of size + root. Squares need not be finite, and scales of large numbers would be subnormal.
    int is_large = size > 0x1p+30f;
    float y = is_large ? size * 0x1p-32f : size;
    float root = is_large ? y : sqrt(z + 1.0f);
    // A third of the sum is always finite.
    float k;
    float scale = __scale_against(fma(y, 0x1.555556p-2f, root * 0x1.555556p-2f), -2, &k);
    float f = fma(y, scale, fma(root, scale, -1.0f));
    float v = __log1p_reduced_single(f, is_large ? k - 32.0f : k);
    v = size > 0.55f ? v : near;
    return copysign(size < INFINITY ? v : x, x);
}

// log(1 + (t + root)), t = x - 1, which is exact where it is small.
__each floatn acosh(floatn x)
{
    // Beside large numbers 1 is nothing.
    int is_large = x > 0x1p+60f;
    float y = is_large ? x * 0x1p-32f : x;
    float t = y - 1.0f;
    float root = x > 0x1p+30f ? y : sqrt(fma(t, t, t + t));
    float third = fma(root, 0x1.555556p-2f, fma(t, 0x1.555556p-2f, 0x1.555556p-2f));
    float k;
    float scale = __scale_against(third, -2, &k);
    float base = fma(t, scale, scale - 1.0f);
    float f = fma(root, scale, base);
    // With what rounding took from f.
    float v = __log1p_reduced_single(f, is_large ? k - 32.0f : k) + fma(root, scale, base - f);
    v = x < INFINITY ? v : x;
    return x < 1.0f ? NAN : v;
}

__each floatn atanh(floatn x)
{
    float size = fabs(x);
    float up = 1.0f + size;
    float past = size - 1.0f;
    // 2^k near (1 + size) / (1 - size): the difference of bits is nearly that of logarithms. The sign of
    // the divisor's negative is masked out.
    int bits = as_int(up) - as_int(past) + 0x00400000 & 0x7f800000;
    float scale = as_float(bits + 0x3f800000);
    // s = (u - 1) / (u + 1), where u is the logarithm's argument over 2^k; for k = 0 this is size itself.
    // Above 1/2 past is exact, and 2^k + 1 need not be.
    int far = size > 0.5f;
    float v = far ? past : size;
    float num = fma(v, 1.0f + scale, far ? 2.0f : 1.0f - scale);
    float s = num / fma(v, 1.0f - scale, far ? 2.0f : 1.0f + scale);
    float z = s * s;
    float p = fma(0x1.33af20p-3f, z, 0x1.995b36p-3f);
    p = fma(p, z, 0x1.555568p-2f);
    // The bits are 2^23 k.
    v = fma((float)bits, 0x1.62e430p-25f, fma(s * z, p, s));
    float edge = size == 1.0f ? INFINITY : NAN;
    return copysign(size < 1.0f ? v : edge, x);
}
