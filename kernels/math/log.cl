// s6.13.2: logarithms. x = 2^k (1 + f) with 1 + f around one, s = f / (2 + f), and
// log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2) with a minimax P (derive.py), summed
// as f - (f^2 / 2 - s (f^2 / 2 + s^2 P)) so that small f are exact to the last bit.
//
// Bounds: float versions compute in double, within 0.51 ulp; double versions within 0.8 ulp.

// f and k of x, which is positive and finite.
double __split(double x, private int *k)
{
    int small = x < 0x1p-1022;
    double y = small ? x * 0x1p+54 : x;
    long bits = as_long(y);
    // The exponent of y / sqrt(1/2).
    long e = (bits - 0x3fe6a09e667f3bcdL) >> 52;
    *k = (int)e - (small ? 54 : 0);
    return as_double(bits - (e << 52)) - 1.0;
}

// What is not a positive finite number.
double __log_special(double x, double value)
{
    double other = x == 0.0 ? -(double)INFINITY : x < 0.0 ? (double)NAN : x;
    return x > 0.0 && x < (double)INFINITY ? value : other;
}

// s^2 P(s^2)
double __log_tail(double z)
{
    double p = 0x1.2f0ce691cc417p-3;
    p = fma(p, z, 0x1.39a1082e89f5cp-3);
    p = fma(p, z, 0x1.74664554496e6p-3);
    p = fma(p, z, 0x1.c71c51ec92b1fp-3);
    p = fma(p, z, 0x1.2492494211708p-2);
    p = fma(p, z, 0x1.999999997fba7p-2);
    p = fma(p, z, 0x1.5555555555593p-1);
    return z * p;
}

// k ln 2 + log(1 + f) + low
double __log_sum(double k, double f, double low)
{
    double s = f / (2.0 + f);
    double half_square = 0.5 * f * f;
    double tail = s * (half_square + __log_tail(s * s));
    // The upper part of ln 2 has 32 bits, so its multiples are exact.
    double rest = fma(k, 0x1.a39ef35793c76p-33, low);
    return fma(k, 0x1.62e42feep-1, f - (half_square - (tail + rest)));
}

__ext(cl_khr_fp64) __each doublen log(doublen x)
{
    int k;
    double f = __split(x, &k);
    return __log_special(x, __log_sum(k, f, 0.0));
}

double __log1p(double x)
{
    double u = 1.0 + x;
    int k;
    double f = __split(u, &k);
    // What rounding took from u.
    double lost = (x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
    int near = x > -0.25 && x < 0.375;
    double value = __log_sum(near ? 0 : k, near ? x : f, near ? 0.0 : lost);
    return x == 0.0 ? x : __log_special(u, value);
}

__ext(cl_khr_fp64) __each doublen log1p(doublen x) { return __log1p(x); }

// log(1 + f) as a sum of two doubles, exact to some 60 bits.
double __log1_pair(double f, private double *low)
{
    double s = f / (2.0 + f);
    double half_square = 0.5 * f * f;
    double square_low = fma(0.5 * f, f, -half_square);
    double high = f - half_square;
    *low = ((f - high) - half_square) - square_low + s * (half_square + __log_tail(s * s));
    return high;
}

__ext(cl_khr_fp64) __each doublen log2(doublen x)
{
    int k;
    double low;
    double high = __log1_pair(__split(x, &k), &low);
    double p = high * 0x1.71547652b82fep+0;
    double rest = fma(high, 0x1.71547652b82fep+0, -p);
    rest += fma(low, 0x1.71547652b82fep+0, high * 0x1.777d0ffda0d24p-56);
    double sum = k + p;
    rest += (k - sum) + p;
    return __log_special(x, sum + rest);
}

__ext(cl_khr_fp64) __each doublen log10(doublen x)
{
    int k;
    double low;
    double high = __log1_pair(__split(x, &k), &low);
    double p = high * 0x1.bcb7b1526e50ep-2;
    double rest = fma(high, 0x1.bcb7b1526e50ep-2, -p);
    rest += fma(low, 0x1.bcb7b1526e50ep-2, high * 0x1.95355baaafad3p-57);
    double whole = k * 0x1.34413509p-2;
    rest = fma((double)k, 0x1.ef3fde623e256p-35, rest);
    double sum = whole + p;
    rest += (whole - sum) + p;
    return __log_special(x, sum + rest);
}

// log(1 + f) to 35 bits.
double __log1_single(double f)
{
    double s = f / (2.0 + f);
    double z = s * s;
    double p = 0x1.e2fdb713949d4p-3;
    p = fma(p, z, 0x1.2438aa28403b8p-2);
    p = fma(p, z, 0x1.999a7b2ef8530p-2);
    p = fma(p, z, 0x1.555554fd4c899p-1);
    return s * fma(z, p, 2.0);
}

// log(x) to 35 bits; x is positive and finite.
double __log_single(double x)
{
    int k;
    double f = __split(x, &k);
    return fma((double)k, 0x1.62e42fefa39efp-1, __log1_single(f));
}

__ext(exact_math) __each floatn log(floatn x) { return (float)__log_special(x, __log_single(x)); }

__ext(exact_math) __each floatn log2(floatn x)
{
    int k;
    double f = __split(x, &k);
    double value = fma(__log1_single(f), 0x1.71547652b82fep+0, (double)k);
    return (float)__log_special(x, value);
}

__ext(exact_math) __each floatn log10(floatn x)
{
    return (float)__log_special(x, __log_single(x) * 0x1.bcb7b1526e50ep-2);
}

double __log1p_single(double x)
{
    double u = 1.0 + x;
    int near = x > -0.25 && x < 0.375;
    double value = near ? __log1_single(x) : __log_single(u);
    return x == 0.0 ? x : __log_special(u, value);
}

__each floatn log1p(floatn x) { return (float)__log1p_single(x); }
