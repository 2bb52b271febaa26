// s6.13.2: cube root and hypotenuse. The cube root starts from a polynomial of x scaled to
// [1, 8) (derive.py), then one step of Halley's iteration and one of Newton's with a fused rest.
// hypot scales by powers of two where squares would overflow or vanish.
//
// Bounds: cbrt within 0.51 ulp (float: 0.5), hypot within 1.1 ulp (float: 0.5).

double __cbrt(double x)
{
    double size = fabs(x);
    int small = size < 0x1p-1022;
    double y = small ? size * 0x1p+54 : size;
    long bits = as_long(y);
    int e = (int)(bits >> 52) - 1023 - (small ? 54 : 0);
    // 3 k <= e < 3 k + 3, without a division of negative numbers.
    int k = (e + 3072) / 3 - 1024;
    double v = as_double((bits & 0xfffffffffffffL) | (long)(1023 + e - 3 * k) << 52);
    double t = 0x1.71abee4b1a951p-14;
    t = fma(t, v, -0x1.2e951bc8c7a0bp-9);
    t = fma(t, v, 0x1.8c42e6ca0d65bp-6);
    t = fma(t, v, -0x1.138a0fdb0637bp-3);
    t = fma(t, v, 0x1.0d667b1c58d8bp-1);
    t = fma(t, v, 0x1.2c99373407603p-1);
    double cube = t * t * t;
    t = t * (cube + 2.0 * v) / (2.0 * cube + v);
    double square = t * t;
    double square_low = fma(t, t, -square);
    double error = fma(-square, t, v) - square_low * t;
    t = t + error / (3.0 * square);
    double root = copysign(t * __pow2(k), x);
    return size == 0.0 || size == (double)INFINITY || x != x ? x : root;
}

__ext(cl_khr_fp64) __each doublen cbrt(doublen x) { return __cbrt(x); }
__each floatn cbrt(floatn x) { return (float)__cbrt(x); }

__ext(cl_khr_fp64) __each doublen hypot(doublen x, doublen y)
{
    double a = fmax(fabs(x), fabs(y));
    double b = fmin(fabs(x), fabs(y));
    double scale = a > 0x1p+500 ? 0x1p-600 : a < 0x1p-450 ? 0x1p+600 : 1.0;
    double back = a > 0x1p+500 ? 0x1p+600 : a < 0x1p-450 ? 0x1p-600 : 1.0;
    double as = a * scale;
    double bs = b * scale;
    double square = as * as;
    double low = fma(as, as, -square) + bs * bs;
    double h = sqrt(square + low) * back;
    h = x != x || y != y ? x + y : h;
    return fabs(x) == (double)INFINITY || fabs(y) == (double)INFINITY ? (double)INFINITY : h;
}

__each floatn hypot(floatn x, floatn y)
{
    double h = sqrt(fma((double)x, (double)x, (double)y * y));
    return fabs(x) == INFINITY || fabs(y) == INFINITY ? INFINITY : (float)h;
}
