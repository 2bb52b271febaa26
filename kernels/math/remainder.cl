// s6.13.2: remainders, exact. A quotient below 2^50 is one division away: cut to a whole number q it
// may be one too large but never too small, and x - q y is representable, so that the fused operation is
// exact. Beyond, mantissas as integers are reduced a few bits at a time. Floats do the same up to 2^22; beyond, their
// remainders are found as those of doubles, and are floats. remquo keeps the seven lowest bits of the quotient.

// The mantissa and exponent of x > 0 as x = m 2^e.
ulong __whole(double x, private int *e)
{
    long b = as_long(x);
    int biased = (int)(b >> 52);
    *e = (biased == 0 ? 1 : biased) - 1075;
    ulong m = (ulong)(b & 0xfffffffffffffL);
    return biased == 0 ? m : m | (ulong)1 << 52;
}

// The remainder of |x| by |y| for finite x and y, y not zero and |x| at least 2^49 |y|, and the low bits of the quotient:
// cut, or the nearest with ties to even.
double __remainder_steps(double x, double y, int nearest, private ulong *quotient)
{
    int ex;
    int ey;
    ulong mx = __whole(fabs(x), &ex);
    ulong my = __whole(fabs(y), &ey);
    uint q = (uint)(mx / my);
    mx = mx % my;
    for (int left = ex - ey; left > 0; left -= 11) {
        int step = min(left, 11);
        mx = mx << step;
        q = (q << step) + (uint)(mx / my);
        mx = mx % my;
    }
    int up = nearest && 2 * mx + (q & 1) > my;
    *quotient = q + up;
    return up ? -__from_whole(my - mx, ey) : __from_whole(mx, ey);
}

// m 2^e, which is a double.
double __from_whole(ulong m, int e)
{
    int low = e < -1022 ? e + 60 : e;
    double v = (double)m * __pow2(max(low, -1022));
    return e < -1022 ? v * 0x1p-60 : v;
}

// a mod b, and the bits of the quotient, where q is the quotient cut to a whole number or one more.
double __remainder_cut(double q, double a, double b, private ulong *quotient)
{
    double r = fma(-q, b, a);
    int over = r < 0.0;
    *quotient = as_ulong(q + 0x1p+52) - over;
    return over ? r + b : r;
}

// The remainder by the nearest quotient, ties to even, likewise. If q is too large, what it leaves is below zero and more
// than -b / 4, so that it is the result.
double __remainder_nearest(double q, double a, double b, private ulong *quotient)
{
    double r = fma(-q, b, a);
    long bits = as_long(q + 0x1p+52);
    // One more where the bits of 2 r - b, whose rounding loses no sign, are positive, or zero and q is odd. Up by no branch,
    // since it is as likely as not.
    long up = as_long(fma(2.0, r, -b)) + (bits & 1) > 0 ? -1 : 0;
    *quotient = bits - up;
    return r - as_double(as_long(b) & up);
}

// Whether the bits of a size are not those of a double from 2^-900 to the largest. Below, what a division leaves may be
// subnormal, and flushed.
int __is_no_divisor(double size) { return as_ulong(size) - 0x07b0000000000000 >= 0x7840000000000000; }

__outlined double __remainder_far(double x, double y, int nearest, private ulong *quotient)
{
    double a = fabs(x) * 0x1p+100;
    double b = fabs(y) * 0x1p+100;
    double near = trunc(a / b);
    if (near < 0x1p+50 && b < 0x1p-800)
        return (nearest ? __remainder_nearest(near, a, b, quotient) : __remainder_cut(near, a, b, quotient)) * 0x1p-100;
    *quotient = 0;
    if (fabs(x) < (double)INFINITY && y == y && y != 0)
        return fabs(y) < (double)INFINITY ? __remainder_steps(x, y, nearest, quotient) : fabs(x);
    return (double)NAN;
}

// |x| mod |y| for all x and y, with what has no remainder: NaN. Bits of the quotient are the last of a sum.
double __remainder_of(double x, double y, private ulong *quotient)
{
    double a = fabs(x);
    double b = fabs(y);
    double q = trunc(a / b);
    if (!(q < 0x1p+50) || __is_no_divisor(b))
        return __remainder_far(x, y, 0, quotient);
    return __remainder_cut(q, a, b, quotient);
}

// Whether the bits of a size are not those of a float from 2^-100 to the largest. Below, remainders may be subnormal.
int __is_no_divisor(float size) { return (int)(as_uint(size) + 0x72800000) > -0x0e000001; }

__each floatn fmod(floatn x, floatn y)
{
    float a = fabs(x);
    float b = fabs(y);
    float q = trunc(a / b);
    float r = fma(-q, b, a);
    r = as_int(r) < 0 ? r + b : r;
    if (__is_no_divisor(b) || !(q < 0x1p+22f)) {
        ulong quotient;
        r = (float)__remainder_of((double)x, (double)y, &quotient);
    }
    return as_float(as_int(r) | (as_int(x) & (int)0x80000000));
}

float __remquo_far(float x, float y, private int *quotient)
{
    ulong q;
    float r = (float)__remainder_of((double)x, (double)y, &q);
    float size = fabs(y);
    float rest = size - r;
    // To the nearest, ties to even; r and size - r are exact.
    int up = (r > rest) | ((r == rest) & (int)(q & 1));
    *quotient = r == r ? (int)q + up : 0;
    // Up by no branch, since it is as likely as not.
    return r - as_float(as_int(size) & -(int)up);
}

__each floatn remquo(floatn x, floatn y, __any intn *quotient)
{
    float a = fabs(x);
    float b = fabs(y);
    float whole = trunc(a / b);
    // If the quotient is too large, this is below zero and more than -b / 4, so that it is the result.
    float r = fma(-whole, b, a);
    int q = (int)whole;
    // To the nearest, ties to even: one more where the bits of 2 r - b, which is exact, are positive, or zero and q is odd.
    int up = as_int(fma(2.0f, r, -b)) + (q & 1) > 0 ? -1 : 0;
    r -= as_float(as_int(b) & up);
    q -= up;
    if (__is_no_divisor(b) || !(whole < 0x1p+22f))
        r = __remquo_far(x, y, &q);
    int sign = (as_int(x) ^ as_int(y)) >> 31;
    *quotient = ((q & 0x7f) ^ sign) - sign;
    return as_float(as_int(r) ^ (as_int(x) & (int)0x80000000));
}

__each floatn remainder(floatn x, floatn y)
{
    int q;
    return remquo(x, y, &q);
}

__ext(cl_khr_fp64) __each doublen fmod(doublen x, doublen y)
{
    double a = fabs(x);
    double b = fabs(y);
    double q = trunc(a / b);
    double r = fma(-q, b, a);
    r = as_long(r) < 0 ? r + b : r;
    if (!(q < 0x1p+50) || __is_no_divisor(b)) {
        ulong quotient;
        r = __remainder_far(x, y, 0, &quotient);
    }
    return as_double(as_long(r) | (as_long(x) & (long)0x8000000000000000));
}

__ext(cl_khr_fp64) __each doublen remquo(doublen x, doublen y, __any intn *quotient)
{
    double a = fabs(x);
    double b = fabs(y);
    double whole = trunc(a / b);
    ulong q;
    double r = __remainder_nearest(whole, a, b, &q);
    if (!(whole < 0x1p+50) || __is_no_divisor(b))
        r = __remainder_far(x, y, 1, &q);
    int sign = (int)((as_long(x) ^ as_long(y)) >> 63);
    *quotient = (((int)q & 0x7f) ^ sign) - sign;
    return as_double(as_long(r) ^ (as_long(x) & (long)0x8000000000000000));
}

__ext(cl_khr_fp64) __each doublen remainder(doublen x, doublen y)
{
    int q;
    return remquo(x, y, &q);
}
