// s6.13.2: inverse trigonometric functions. atan of t = n / d in [0, 1] goes to
// (t - 1) / (t + 1) = (n - d) / (n + d) above tan(pi/8), with one division; asin above 1/2 to the
// square root of (1 - x) / 2. Minimax polynomials (derive.py).
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions: acos within 1.2 ulp,
// asin and atan within 2.1, atan2 within 2.4, the *pi forms within 3.

double __atan_series(double u)
{
    double z = u * u;
    double zz = z * z;
    double p = fma(-0x1.1239ab4befeccp-5, zz, -0x1.ab7df31a5cc12p-5);
    p = fma(p, zz, -0x1.110c745eff485p-4);
    p = fma(p, zz, -0x1.745d14bb9f4abp-4);
    p = fma(p, zz, -0x1.2492492475989p-3);
    double odd = fma(0x1.f1ec9e97cc17fp-7, zz, 0x1.70ee92bee93d1p-5);
    odd = fma(odd, zz, 0x1.e17217ccd8e25p-5);
    odd = fma(odd, zz, 0x1.3b136e500c69dp-4);
    odd = fma(odd, zz, 0x1.c71c71b75b1e2p-4);
    p = fma(odd, z, p);
    p = fma(p, z, 0x1.9999999999652p-3);
    p = fma(p, z, -0x1.5555555555554p-2);
    return fma(u * z, p, u);
}

// The angle of (x, y); sizes are those of x and y, or in their proportion, not both zero, and their
// sum is finite. Its multiple of pi/4 and the sign of the rest are found on the way.
double __angle(double size_y, double size_x, double y, double x)
{
    double num = size_y;
    double den = size_x;
    double sign = 1.0;
    double high = 0.0;
    double low = 0.0;
    if (size_y > size_x) {
        num = size_x;
        den = size_y;
        sign = -1.0;
        high = 0x1.921fb54442d18p+0;
        low = 0x1.1a62633145c07p-54;
    }
    if (num > den * 0x1.a827999fcef32p-2) {
        double n = num - den;
        den = num + den;
        num = n;
        high = fma(sign, 0x1.921fb54442d18p-1, high);
        low = fma(sign, 0x1.1a62633145c07p-55, low);
    }
    double a = __atan_series(num / den);
    if (as_long(x) < 0) {
        sign = -sign;
        high = 0x1.921fb54442d18p+1 - high;
        low = 0x1.1a62633145c07p-53 - low;
    }
    return copysign(high + fma(sign, a, low), y);
}

// With infinity brought down, which would stand beside itself.
double __atan(double x)
{
    double size = fabs(x);
    return __angle(size > 0x1p+1000 ? 0x1p+1000 : size, 1.0, x, 1.0);
}

// Zero and zero, what is too large to be added, and what is too small for a part of it to be one.
__outlined double __angle_edge(double y, double x)
{
    double size_y = fabs(y);
    double size_x = fabs(x);
    double infinity = INFINITY;
    int no_size = (size_y == 0.0) & (size_x == 0.0);
    int infinite = (size_y == infinity) | (size_x == infinity);
    double scale = size_y > 1.0 || size_x > 1.0 ? 0x1p-60 : 0x1p+60;
    size_y = infinite ? (size_y == infinity ? 1.0 : 0.0) : scale * size_y;
    size_x = infinite ? (size_x == infinity ? 1.0 : 0.0) : no_size ? 1.0 : scale * size_x;
    return x != x || y != y ? x + y : __angle(size_y, size_x, y, x);
}

double __atan2(double y, double x)
{
    double size_y = fabs(y);
    double size_x = fabs(x);
    double large = size_y > size_x ? size_y : size_x;
    // One comparison: from 2^-960 to 2^1020.
    if (as_ulong(large) - 0x03f0000000000000 >= 0x7bc0000000000000)
        return __angle_edge(y, x);
    return __angle(size_y, size_x, y, x);
}

// x + x z B(z), z = x^2
double __asin_series(double x, double z)
{
    double zz = z * z;
    double p = fma(0x1.0be5975a1d53dp-5, zz, 0x1.6505332349f9ep-6);
    p = fma(p, zz, 0x1.618b915663bc1p-7);
    p = fma(p, zz, 0x1.ca214a169391cp-7);
    p = fma(p, zz, 0x1.6e8bdfeb0cfe2p-6);
    p = fma(p, zz, 0x1.6db6db722bff1p-5);
    double odd = fma(-0x1.59faa80707e73p-6, zz, 0x1.e14fbfcea6372p-9);
    odd = fma(odd, zz, 0x1.757762af06b62p-7);
    odd = fma(odd, zz, 0x1.1c49ddbbb5279p-6);
    odd = fma(odd, zz, 0x1.f1c71a8b6d261p-6);
    p = fma(odd, z, p);
    p = fma(p, z, 0x1.333333332df05p-4);
    p = fma(p, z, 0x1.5555555555578p-3);
    return fma(x * z, p, x);
}

double __asin(double x)
{
    double size = fabs(x);
    double root = size;
    double z = x * x;
    double sign = 1.0;
    double high = 0.0;
    double low = 0.0;
    if (size > 0.5) {
        z = 0.5 - 0.5 * size;
        root = sqrt(z);
        sign = -2.0;
        high = 0x1.921fb54442d18p+0;
        low = 0x1.1a62633145c07p-54;
    }
    return copysign(high + fma(sign, __asin_series(root, z), low), x);
}

double __acos(double x)
{
    double size = fabs(x);
    double root = x;
    double z = x * x;
    double sign = -1.0;
    double high = 0x1.921fb54442d18p+0;
    double low = 0x1.1a62633145c07p-54;
    if (size > 0.5) {
        z = 0.5 - 0.5 * size;
        root = sqrt(z);
        int right = x > 0.0;
        sign = right ? 2.0 : -2.0;
        high = right ? 0.0 : 0x1.921fb54442d18p+1;
        low = right ? 0.0 : 0x1.1a62633145c07p-53;
    }
    return high + fma(sign, __asin_series(root, z), low);
}

// x / pi
double __over_pi(double x)
{
    double p = x * 0x1.45f306dc9c883p-2;
    double low = fma(x, 0x1.45f306dc9c883p-2, -p);
    // What vanishes keeps its sign.
    return copysign(p + fma(x, -0x1.6b01ec5417056p-56, low), x);
}

__ext(cl_khr_fp64) __each doublen atan(doublen x) { return __atan(x); }
__ext(cl_khr_fp64) __each doublen atan2(doublen y, doublen x) { return __atan2(y, x); }
__ext(cl_khr_fp64) __each doublen asin(doublen x) { return __asin(x); }
__ext(cl_khr_fp64) __each doublen acos(doublen x) { return __acos(x); }
__ext(cl_khr_fp64) __each doublen atanpi(doublen x) { return __over_pi(__atan(x)); }
__ext(cl_khr_fp64) __each doublen atan2pi(doublen y, doublen x) { return __over_pi(__atan2(y, x)); }
__ext(cl_khr_fp64) __each doublen asinpi(doublen x) { return __over_pi(__asin(x)); }
__ext(cl_khr_fp64) __each doublen acospi(doublen x) { return __over_pi(__acos(x)); }

__each floatn atan(floatn x) { return (float)__atan_single(x); }
__each floatn atan2(floatn y, floatn x) { return (float)__atan2_single(y, x); }
__each floatn asin(floatn x) { return (float)__asin_single(x); }
__each floatn acos(floatn x) { return (float)__acos_single(x); }
__each floatn atanpi(floatn x) { return (float)(__atan_single(x) * 0x1.45f306dc9c883p-2); }
__each floatn atan2pi(floatn y, floatn x)
{
    return (float)(__atan2_single(y, x) * 0x1.45f306dc9c883p-2);
}
__each floatn asinpi(floatn x) { return (float)(__asin_single(x) * 0x1.45f306dc9c883p-2); }
__each floatn acospi(floatn x) { return (float)(__acos_single(x) * 0x1.45f306dc9c883p-2); }

// The same to 35 bits.
double __atan_series_single(double u)
{
    double z = u * u;
    double p = 0x1.84d1230e6f4d7p-5;
    p = fma(p, z, -0x1.5b3d3dcf1fa97p-4);
    p = fma(p, z, 0x1.c466ad6b404fap-4);
    p = fma(p, z, -0x1.247efa35221dcp-3);
    p = fma(p, z, 0x1.999919e79f460p-3);
    p = fma(p, z, -0x1.555554c81ff75p-2);
    return fma(u * z, p, u);
}

// Sizes may be zero both, or infinite.
double __angle_single(double size_y, double size_x, double y, double x)
{
    double num = size_y;
    double den = size_x;
    double sign = 1.0;
    double start = 0.0;
    if (size_y > size_x) {
        num = size_x;
        den = size_y;
        sign = -1.0;
        start = 0x1.921fb54442d18p+0;
    }
    // Of two infinities the first is larger, of two zeros not.
    double bound = den * 0x1.a827999fcef32p-2;
    if (num > (bound > 0x1p+1000 ? 0x1p+1000 : bound)) {
        double n = num == den ? 0.0 : num - den;
        den = num + den;
        num = n;
        start = fma(sign, 0x1.921fb54442d18p-1, start);
    }
    double u = num == den ? 0.0 : num / den;
    double a = __atan_series_single(u);
    if (as_long(x) < 0) {
        sign = -sign;
        start = 0x1.921fb54442d18p+1 - start;
    }
    return copysign(fma(sign, a, start), y);
}

double __atan_single(double x)
{
    double num = fabs(x);
    double den = 1.0;
    double sign = 1.0;
    double start = 0.0;
    if (num > 1.0) {
        den = num;
        num = 1.0;
        sign = -1.0;
        start = 0x1.921fb54442d18p+0;
    }
    if (num > den * 0x1.a827999fcef32p-2) {
        double n = num - den;
        den = num + den;
        num = n;
        start = fma(sign, 0x1.921fb54442d18p-1, start);
    }
    return copysign(fma(sign, __atan_series_single(num / den), start), x);
}

double __atan2_single(double y, double x) { return __angle_single(fabs(y), fabs(x), y, x); }

double __asin_series_single(double x, double z)
{
    double p = 0x1.1c4d1d8971b59p-5;
    p = fma(p, z, 0x1.e8e4cfaaf8b58p-8);
    p = fma(p, z, 0x1.9364930e861c3p-6);
    p = fma(p, z, 0x1.ed51d4e12f7bap-6);
    p = fma(p, z, 0x1.6ddb3706d08ecp-5);
    p = fma(p, z, 0x1.3332a7c1dffc4p-4);
    p = fma(p, z, 0x1.555556097da69p-3);
    return fma(x * z, p, x);
}

double __asin_single(double x)
{
    double size = fabs(x);
    double root = size;
    double z = x * x;
    double sign = 1.0;
    double start = 0.0;
    if (size > 0.5) {
        z = 0.5 - 0.5 * size;
        root = sqrt(z);
        sign = -2.0;
        start = 0x1.921fb54442d18p+0;
    }
    return copysign(fma(sign, __asin_series_single(root, z), start), x);
}

double __acos_single(double x)
{
    double size = fabs(x);
    double root = x;
    double z = x * x;
    double sign = -1.0;
    double start = 0x1.921fb54442d18p+0;
    if (size > 0.5) {
        z = 0.5 - 0.5 * size;
        root = sqrt(z);
        sign = x > 0.0 ? 2.0 : -2.0;
        start = x > 0.0 ? 0.0 : 0x1.921fb54442d18p+1;
    }
    return fma(sign, __asin_series_single(root, z), start);
}
