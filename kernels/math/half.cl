// cl_khr_fp16 and s6.13.2: math functions of half. Functions whose result is rounded compute in
// float and round once more; exact ones (the parts of a number, remainders) do so too, since
// their results are halves again: a half has no denormals as a float.
//
// Bounds: within 0.51 ulp where the float version is within 16 of its own.

__ext(cl_khr_fp16) __each halfn acos(halfn x) { return (half)acos((float)x); }
__ext(cl_khr_fp16) __each halfn acosh(halfn x) { return (half)acosh((float)x); }
__ext(cl_khr_fp16) __each halfn acospi(halfn x) { return (half)acospi((float)x); }
__ext(cl_khr_fp16) __each halfn asin(halfn x) { return (half)asin((float)x); }
__ext(cl_khr_fp16) __each halfn asinh(halfn x) { return (half)asinh((float)x); }
__ext(cl_khr_fp16) __each halfn asinpi(halfn x) { return (half)asinpi((float)x); }
__ext(cl_khr_fp16) __each halfn atan(halfn x) { return (half)atan((float)x); }
__ext(cl_khr_fp16) __each halfn atanh(halfn x) { return (half)atanh((float)x); }
__ext(cl_khr_fp16) __each halfn atanpi(halfn x) { return (half)atanpi((float)x); }
__ext(cl_khr_fp16) __each halfn cbrt(halfn x) { return (half)cbrt((float)x); }
__ext(cl_khr_fp16) __each halfn cos(halfn x) { return (half)cos((float)x); }
__ext(cl_khr_fp16) __each halfn cosh(halfn x) { return (half)cosh((float)x); }
__ext(cl_khr_fp16) __each halfn cospi(halfn x) { return (half)cospi((float)x); }
__ext(cl_khr_fp16) __each halfn erf(halfn x) { return (half)erf((float)x); }
__ext(cl_khr_fp16) __each halfn erfc(halfn x) { return (half)erfc((float)x); }
__ext(cl_khr_fp16) __each halfn exp(halfn x) { return (half)exp((float)x); }
__ext(cl_khr_fp16) __each halfn exp2(halfn x) { return (half)exp2((float)x); }
__ext(cl_khr_fp16) __each halfn exp10(halfn x) { return (half)exp10((float)x); }
__ext(cl_khr_fp16) __each halfn expm1(halfn x) { return (half)expm1((float)x); }
__ext(cl_khr_fp16) __each halfn lgamma(halfn x) { return (half)lgamma((float)x); }
__ext(cl_khr_fp16) __each halfn log(halfn x) { return (half)log((float)x); }
__ext(cl_khr_fp16) __each halfn log2(halfn x) { return (half)log2((float)x); }
__ext(cl_khr_fp16) __each halfn log10(halfn x) { return (half)log10((float)x); }
__ext(cl_khr_fp16) __each halfn log1p(halfn x) { return (half)log1p((float)x); }
__ext(cl_khr_fp16) __each halfn rsqrt(halfn x) { return (half)rsqrt((float)x); }
__ext(cl_khr_fp16) __each halfn sin(halfn x) { return (half)sin((float)x); }
__ext(cl_khr_fp16) __each halfn sinh(halfn x) { return (half)sinh((float)x); }
__ext(cl_khr_fp16) __each halfn sinpi(halfn x) { return (half)sinpi((float)x); }
__ext(cl_khr_fp16) __each halfn tan(halfn x) { return (half)tan((float)x); }
__ext(cl_khr_fp16) __each halfn tanh(halfn x) { return (half)tanh((float)x); }
__ext(cl_khr_fp16) __each halfn tanpi(halfn x) { return (half)tanpi((float)x); }
__ext(cl_khr_fp16) __each halfn tgamma(halfn x) { return (half)tgamma((float)x); }

__ext(cl_khr_fp16, half_fma) halfn mad(halfn a, halfn b, halfn c) { return fma(a, b, c); }

// Rounded once: the product is exact in float.
__ext(cl_khr_fp16, no_half_fma) halfn mad(halfn a, halfn b, halfn c)
{
    return convert_halfn(mad(convert_floatn(a), convert_floatn(b), convert_floatn(c)));
}

__ext(cl_khr_fp16) __each halfn atan2(halfn y, halfn x)
{
    return (half)atan2((float)y, (float)x);
}

__ext(cl_khr_fp16) __each halfn atan2pi(halfn y, halfn x)
{
    return (half)atan2pi((float)y, (float)x);
}

__ext(cl_khr_fp16) __each halfn hypot(halfn x, halfn y)
{
    return (half)hypot((float)x, (float)y);
}

__ext(cl_khr_fp16) __each halfn pow(halfn x, halfn y)
{
    return (half)pow((float)x, (float)y);
}

__ext(cl_khr_fp16) __each halfn powr(halfn x, halfn y)
{
    return (half)powr((float)x, (float)y);
}

__ext(cl_khr_fp16) __each halfn pown(halfn x, intn n) { return (half)pown((float)x, n); }
__ext(cl_khr_fp16) __each halfn rootn(halfn x, intn n) { return (half)rootn((float)x, n); }

__ext(cl_khr_fp16) __each halfn sincos(halfn x, __any halfn *cosine)
{
    float c;
    float s = sincos((float)x, &c);
    *cosine = (half)c;
    return (half)s;
}

__ext(cl_khr_fp16) __each halfn lgamma_r(halfn x, __any intn *signp)
{
    int sign;
    half v = (half)lgamma_r((float)x, &sign);
    *signp = sign;
    return v;
}

// Remainders of halves are multiples of the finer unit below the smaller of them: halves.
__ext(cl_khr_fp16) __each halfn fmod(halfn x, halfn y) { return (half)fmod((float)x, (float)y); }
__ext(cl_khr_fp16) __each halfn remainder(halfn x, halfn y)
{
    return (half)remainder((float)x, (float)y);
}

__ext(cl_khr_fp16) __each halfn remquo(halfn x, halfn y, __any intn *quotient)
{
    int q;
    half r = (half)remquo((float)x, (float)y, &q);
    *quotient = q;
    return r;
}

__ext(cl_khr_fp16) __each intn ilogb(halfn x) { return ilogb((float)x); }
__ext(cl_khr_fp16) __each halfn logb(halfn x) { return (half)logb((float)x); }

__ext(cl_khr_fp16) __each halfn frexp(halfn x, __any intn *exponent)
{
    int e;
    half mantissa = (half)frexp((float)x, &e);
    *exponent = e;
    return mantissa;
}

__ext(cl_khr_fp16) __each halfn ldexp(halfn x, intn k)
{
    // Exact in float from the smallest half to far beyond the largest, and the other way.
    float scale = as_float((clamp(k, -60, 60) + 127) << 23);
    return (half)((float)x * scale);
}

__ext(cl_khr_fp16) __lanes(2, 3, 4, 8, 16) halfn ldexp(halfn x, int k) { return ldexp(x, (intn)k); }

__ext(cl_khr_fp16) __each halfn modf(halfn x, __any halfn *whole)
{
    half w = trunc(x);
    *whole = w;
    half rest = fabs(x) == (half)INFINITY ? (half)0 : x - w;
    return copysign(rest, x);
}

__ext(cl_khr_fp16) __each halfn fract(halfn x, __any halfn *whole)
{
    half w = floor(x);
    *whole = w;
    half rest = fmin(x - w, 0x1.ffcp-1h);
    rest = fabs(x) == (half)INFINITY ? copysign((half)0, x) : rest;
    return x != x || x == 0 ? x : rest;
}

__ext(cl_khr_fp16) __each halfn nextafter(halfn x, halfn y)
{
    // As integers that order like the numbers.
    int a = as_short(x);
    int b = as_short(y);
    a = a < 0 ? -32768 - a : a;
    b = b < 0 ? -32768 - b : b;
    a = a < b ? a + 1 : a > b ? a - 1 : a;
    a = a < 0 ? -32768 - a : a;
    half v = as_half((short)a);
    v = v == 0 ? copysign(v, x) : v;
    return x != x || y != y ? x + y : x == y ? y : v;
}

__ext(cl_khr_fp16) __each halfn nan(ushortn code) { return as_half((ushort)(0x7e00 | (code & 0x1ff))); }
