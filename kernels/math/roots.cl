// s6.13.2: cube root and hypotenuse. x = 2^3k v with v in [1/2, 4); v^(-1/3) begins as a polynomial
// (derive.py), one step of fourth order makes it good for float without a division; for double a
// step of Newton's with a fused rest follows.
// hypot scales by powers of two where squares would overflow or vanish.
//
// Bounds: cbrt within 0.51 ulp, hypot within 1.1 ulp (float: 0.5).

// v^(-1/3) to 34 bits, and v and the bits of k of x, which is positive and normal.
double __inverse_cbrt(double x, private double *v, private ulong *k)
{
    ulong bits = as_ulong(x);
    double e = as_double((bits >> 52) | 0x4330000000000000) - 0x1.00000000003ffp+52;
    ulong scale = as_ulong(fma(e, 0x1.5555555555555p-2, 0x1.8p+52)) << 52;
    double m = as_double(bits - 3 * scale);
    double y = 0x1.675c2eb977e61p-9;
    y = fma(y, m, -0x1.5b062db1cbb73p-5);
    y = fma(y, m, 0x1.116e40bd1aad2p-2);
    y = fma(y, m, -0x1.c65d0e895eb58p-1);
    y = fma(y, m, 0x1.b038a65c2f9c4p+0);
    y = fma(y, m, -0x1.ec2d31b9ddde4p+0);
    y = fma(y, m, 0x1.e49b200a567f8p+0);
    double h = fma(-m * y, y * y, 1.0);
    *v = m;
    *k = scale;
    double step = fma(fma(0x1.61f9add3c0ca4p-3, h, 0x1.c71c71c71c71cp-3), h, 0x1.5555555555555p-2);
    return fma(y * h, step, y);
}

double __cbrt_plain(double x)
{
    double v;
    ulong k;
    double y = __inverse_cbrt(x, &v, &k);
    double square_inverse = y * y;
    double t = v * square_inverse;
    double square = t * t;
    double square_low = fma(t, t, -square);
    double error = fma(-square, t, v) - square_low * t;
    t = fma(error, square_inverse * 0x1.5555555555555p-2, t);
    return as_double(as_ulong(t) + k);
}

__outlined double __cbrt_edge(double x)
{
    double size = fabs(x);
    int is_small = size > 0.0 && size < (double)INFINITY;
    return is_small ? copysign(__cbrt_plain(size * 0x1p+54) * 0x1p-18, x) : x;
}

__ext(cl_khr_fp64) __each doublen cbrt(doublen x)
{
    double size = fabs(x);
    if (!__is_plain(size))
        return __cbrt_edge(x);
    return copysign(__cbrt_plain(size), x);
}

__each floatn cbrt(floatn x)
{
    double size = fabs((double)x);
    double v;
    ulong k;
    double y = __inverse_cbrt(size, &v, &k);
    // Zero and infinity are far enough out to be themselves again.
    double root = as_double(as_ulong(v * y * y) + k);
    return x != x ? x : (float)copysign(root, (double)x);
}

__outlined double __hypot_edge(double a, double b)
{
    double infinity = INFINITY;
    double scale = a > 1.0 ? 0x1p-600 : 0x1p+600;
    double as = a * scale;
    double bs = b * scale;
    double square = as * as;
    double low = fma(as, as, -square) + bs * bs;
    double h = sqrt(square + low) * (a > 1.0 ? 0x1p+600 : 0x1p-600);
    // Also of two zeros.
    h = a == 0.0 || a != a || b != b ? a + b : h;
    return a == infinity || b == infinity ? infinity : h;
}

__ext(cl_khr_fp64) __each doublen hypot(doublen x, doublen y)
{
    double ax = fabs(x);
    double ay = fabs(y);
    int wide = ax > ay;
    double a = wide ? ax : ay;
    double b = wide ? ay : ax;
    // One comparison: from 2^-450 to 2^500.
    if (as_ulong(a) - 0x23d0000000000000 >= 0x3b60000000000000)
        return __hypot_edge(a, b);
    double square = a * a;
    return sqrt(square + (fma(a, a, -square) + b * b));
}

__each floatn hypot(floatn x, floatn y)
{
    double h = sqrt(fma((double)x, (double)x, (double)y * y));
    // Infinity beside NaN.
    if (h != h)
        h = (fabs(x) == INFINITY) | (fabs(y) == INFINITY) ? (double)INFINITY : h;
    return (float)h;
}
