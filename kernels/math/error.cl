// s6.13.2: error functions. erf(x) = x P(x^2) up to 1; beyond, (1 + 2x) exp(x^2) erfc(x) is a
// polynomial in (x - 3.75) / (x + 3.75), after Shepherd and Laframboise (1981), with
// coefficients of our own (derive.py).
//
// Bounds: float versions compute in double, within 0.6 ulp; double versions: erf within 1.6 ulp,
// erfc within 5.5.

double __erf_series(double x)
{
    double z = x * x;
    double zz = z * z;
    double p = fma(0x1.0579a08899394p-34, zz, 0x1.f7a41b6768ef8p-27);
    p = fma(p, zz, 0x1.b9def1de3f8ebp-20);
    p = fma(p, zz, 0x1.f9a321a195b9dp-14);
    p = fma(p, zz, 0x1.565bcd0db0530p-8);
    p = fma(p, zz, 0x1.ce2f21a042b21p-4);
    double odd = fma(-0x1.386acc14bb471p-30, zz, -0x1.5f1d38354a7c9p-23);
    odd = fma(odd, zz, -0x1.f4d1df40274b3p-17);
    odd = fma(odd, zz, -0x1.c02db3d8f264ep-11);
    odd = fma(odd, zz, -0x1.b82ce312849afp-6);
    p = fma(odd, z, p);
    p = fma(p, z, -0x1.812746b0379e6p-2);
    p = fma(p, z, 0x1.20dd750429b6dp+0);
    return x * p;
}

// erfc(x) for x >= 0.9.
double __erfc_far(double x)
{
    double y = x > 28.0 ? 28.0 : x;
    // One division for t and for that of the polynomial.
    double up = y + 3.75;
    double last = fma(2.0, y, 1.0);
    double inverse = 1.0 / (up * last);
    double t = (y - 3.75) * (last * inverse);
    double tt = t * t;
    double p = fma(0x1.22bc794bf55f8p-26, tt, -0x1.e9f52e9992c24p-23);
    p = fma(p, tt, 0x1.d077287e24abep-20);
    p = fma(p, tt, -0x1.7fb62529785fcp-17);
    p = fma(p, tt, 0x1.b13eff37b14dap-15);
    p = fma(p, tt, 0x1.33fb3fccf4efbp-12);
    p = fma(p, tt, -0x1.3f603c49b3158p-7);
    p = fma(p, tt, -0x1.e0d0fa6dadbf3p-5);
    p = fma(p, tt, -0x1.bda9309a29cfcp-4);
    p = fma(p, tt, 0x1.d5f294815a520p-9);
    double odd = fma(0x1.9764ef44a7e9cp-26, tt, -0x1.16b02951164a7p-24);
    odd = fma(odd, tt, -0x1.03471001b1077p-20);
    odd = fma(odd, tt, 0x1.777bed48a4a6dp-16);
    odd = fma(odd, tt, -0x1.303f60a49b720p-12);
    odd = fma(odd, tt, 0x1.cc3a0bbad208ap-10);
    odd = fma(odd, tt, 0x1.d0b003815113dp-6);
    odd = fma(odd, tt, 0x1.7a14188a8ea60p-4);
    odd = fma(odd, tt, 0x1.510169d096becp-4);
    p = fma(odd, t, p);
    p = fma(p, t, -0x1.1f367683f89aap-3);
    p = fma(p, t, 0x1.3ccda0b5d5dc2p+0);
    // exp(-y^2) with the square's rounding error.
    double square = y * y;
    double low = fma(y, y, -square);
    return p * (up * inverse) * __exp_pair(-square, -low);
}

double __erf(double x)
{
    double size = fabs(x);
    return copysign(size < 1.0 ? __erf_series(size) : 1.0 - __erfc_far(size), x);
}

double __erfc(double x)
{
    double size = fabs(x);
    if (size < 1.0)
        return 1.0 - __erf_series(x);
    double far = __erfc_far(size);
    return x < 0.0 ? 2.0 - far : far;
}

__ext(cl_khr_fp64) __each doublen erf(doublen x) { return __erf(x); }
__ext(cl_khr_fp64) __each doublen erfc(doublen x) { return __erfc(x); }

double __erf_series_single(double x)
{
    double z = x * x;
    double p = -0x1.4383eacdd3c31p-17;
    p = fma(p, z, 0x1.d826b0a9095f3p-14);
    p = fma(p, z, -0x1.bcbea89b24489p-11);
    p = fma(p, z, 0x1.5628f0107e624p-8);
    p = fma(p, z, -0x1.b829a7effaad8p-6);
    p = fma(p, z, 0x1.ce2f079d36fecp-4);
    p = fma(p, z, -0x1.8127465fd3958p-2);
    p = fma(p, z, 0x1.20dd75040096fp+0);
    return x * p;
}

double __erfc_far_single(double x)
{
    double y = x > 13.0 ? 13.0 : x;
    // One division for t and for that of the polynomial.
    double up = y + 3.75;
    double last = fma(2.0, y, 1.0);
    double inverse = 1.0 / (up * last);
    double t = (y - 3.75) * (last * inverse);
    double p = 0x1.4d59bf3d914dap-13;
    p = fma(p, t, 0x1.832cd34c388c1p-10);
    p = fma(p, t, -0x1.3a1de6d13c9f9p-7);
    p = fma(p, t, 0x1.d25bbf6aedb3bp-6);
    p = fma(p, t, -0x1.e14acbbf6a151p-5);
    p = fma(p, t, 0x1.7a025b33cd203p-4);
    p = fma(p, t, -0x1.bda074a63f178p-4);
    p = fma(p, t, 0x1.5102acc6ca201p-4);
    p = fma(p, t, 0x1.d5e4c3d50aa0fp-9);
    p = fma(p, t, -0x1.1f3679f4ccc53p-3);
    p = fma(p, t, 0x1.3ccda0c395dd1p+0);
    return p * (up * inverse) * __exp_single(-y * y);
}

__each floatn erf(floatn x)
{
    double size = fabs((double)x);
    double v = size < 1.0 ? __erf_series_single(size) : 1.0 - __erfc_far_single(size);
    return (float)copysign(v, (double)x);
}

__each floatn erfc(floatn x)
{
    double y = x;
    double size = fabs(y);
    if (size < 1.0)
        return (float)(1.0 - __erf_series_single(y));
    double far = __erfc_far_single(size);
    return (float)(y < 0.0 ? 2.0 - far : far);
}
