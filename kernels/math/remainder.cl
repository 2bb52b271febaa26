// s6.13.2: remainders, exact: mantissas as integers, reduced a few dozen bits at a time. remquo
// keeps the seven lowest bits of the quotient.


// The mantissa and exponent of x > 0 as x = m 2^e.
ulong __whole(float x, private int *e)
{
    int b = as_int(x);
    int biased = (int)(b >> 23);
    *e = (biased == 0 ? 1 : biased) - 150;
    ulong m = (ulong)(b & 0x7fffff);
    return biased == 0 ? m : m | (ulong)1 << 23;
}

// |x| mod |y| for finite x and y, y not zero, and the low bits of the quotient.
float __remainder_of(float x, float y, private uint *quotient)
{
    int ex;
    int ey;
    ulong mx = __whole(fabs(x), &ex);
    ulong my = __whole(fabs(y), &ey);
    uint q = 0;
    if (ex < ey) {
        // y is a multiple of a larger unit: bring it down, unless x is smaller anyway.
        int shift = ey - ex;
        ulong larger = shift > 63 - 24 ? 0 : my << shift;
        int fits = larger != 0;
        q = fits ? (uint)(mx / larger) : 0;
        mx = fits ? mx % larger : mx;
    } else {
        q = (uint)(mx / my);
        mx = mx % my;
        for (int left = ex - ey; left > 0; left -= 40) {
            int step = min(left, 40);
            mx = mx << step;
            q = (step > 31 ? 0 : q << step) + (uint)(mx / my);
            mx = mx % my;
        }
        ex = ey;
    }
    *quotient = q;
    return (float)((double)mx * __pow2(ex));
}

__each floatn fmod(floatn x, floatn y)
{
    int plain = fabs(x) < (float)INFINITY && y == y && y != 0;
    uint q;
    float r = plain && fabs(y) < (float)INFINITY ? __remainder_of(x, y, &q) : fabs(x);
    return plain ? copysign(r, x) : (float)NAN;
}

__each floatn remquo(floatn x, floatn y, __any intn *quotient)
{
    int plain = fabs(x) < (float)INFINITY && y == y && y != 0;
    int finite = fabs(y) < (float)INFINITY;
    uint q = 0;
    float size = fabs(y);
    float r = plain && finite ? __remainder_of(x, y, &q) : fabs(x);
    // To the nearest, ties to even; r and size - r are exact.
    int up = finite && (r > size - r || (r == size - r && (q & 1)));
    q = plain ? q + (up ? 1 : 0) : 0;
    r = up ? r - size : r;
    int negative = signbit(x) != signbit(y);
    *quotient = negative ? -(int)(q & 0x7f) : (int)(q & 0x7f);
    r = signbit(x) ? -r : r;
    return plain ? r : (float)NAN;
}

__each floatn remainder(floatn x, floatn y)
{
    int q;
    return remquo(x, y, &q);
}

// The mantissa and exponent of x > 0 as x = m 2^e.
ulong __whole(double x, private int *e)
{
    long b = as_long(x);
    int biased = (int)(b >> 52);
    *e = (biased == 0 ? 1 : biased) - 1075;
    ulong m = (ulong)(b & 0xfffffffffffffL);
    return biased == 0 ? m : m | (ulong)1 << 52;
}

// |x| mod |y| for finite x and y, y not zero, and the low bits of the quotient.
double __remainder_of(double x, double y, private uint *quotient)
{
    int ex;
    int ey;
    ulong mx = __whole(fabs(x), &ex);
    ulong my = __whole(fabs(y), &ey);
    uint q = 0;
    if (ex < ey) {
        // y is a multiple of a larger unit: bring it down, unless x is smaller anyway.
        int shift = ey - ex;
        ulong larger = shift > 63 - 53 ? 0 : my << shift;
        int fits = larger != 0;
        q = fits ? (uint)(mx / larger) : 0;
        mx = fits ? mx % larger : mx;
    } else {
        q = (uint)(mx / my);
        mx = mx % my;
        for (int left = ex - ey; left > 0; left -= 11) {
            int step = min(left, 11);
            mx = mx << step;
            q = (step > 31 ? 0 : q << step) + (uint)(mx / my);
            mx = mx % my;
        }
        ex = ey;
    }
    *quotient = q;
    return __from_whole(mx, ex);
}

// m 2^e, which is a double.
double __from_whole(ulong m, int e)
{
    int low = e < -1022 ? e + 60 : e;
    double v = (double)m * __pow2(max(low, -1022));
    return e < -1022 ? v * 0x1p-60 : v;
}

__ext(cl_khr_fp64) __each doublen fmod(doublen x, doublen y)
{
    int plain = fabs(x) < (double)INFINITY && y == y && y != 0;
    uint q;
    double r = plain && fabs(y) < (double)INFINITY ? __remainder_of(x, y, &q) : fabs(x);
    return plain ? copysign(r, x) : (double)NAN;
}

__ext(cl_khr_fp64) __each doublen remquo(doublen x, doublen y, __any intn *quotient)
{
    int plain = fabs(x) < (double)INFINITY && y == y && y != 0;
    int finite = fabs(y) < (double)INFINITY;
    uint q = 0;
    double size = fabs(y);
    double r = plain && finite ? __remainder_of(x, y, &q) : fabs(x);
    // To the nearest, ties to even; r and size - r are exact.
    int up = finite && (r > size - r || (r == size - r && (q & 1)));
    q = plain ? q + (up ? 1 : 0) : 0;
    r = up ? r - size : r;
    int negative = signbit(x) != signbit(y);
    *quotient = negative ? -(int)(q & 0x7f) : (int)(q & 0x7f);
    r = signbit(x) ? -r : r;
    return plain ? r : (double)NAN;
}

__ext(cl_khr_fp64) __each doublen remainder(doublen x, doublen y)
{
    int q;
    return remquo(x, y, &q);
}
