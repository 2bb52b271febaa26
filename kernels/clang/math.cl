// The C library's functions as clang spells them: they are those of s6.13.2, one number at a time.

__ext(cl_khr_fp64) double __builtin_acos(double x) { return acos(x); }
float __builtin_acosf(float x) { return acos(x); }
__ext(cl_khr_fp16) half __builtin_acosf16(half x) { return acos(x); }
__ext(cl_khr_fp64) double __builtin_acosh(double x) { return acosh(x); }
float __builtin_acoshf(float x) { return acosh(x); }
__ext(cl_khr_fp16) half __builtin_acoshf16(half x) { return acosh(x); }
__ext(cl_khr_fp64) double __builtin_asin(double x) { return asin(x); }
float __builtin_asinf(float x) { return asin(x); }
__ext(cl_khr_fp16) half __builtin_asinf16(half x) { return asin(x); }
__ext(cl_khr_fp64) double __builtin_asinh(double x) { return asinh(x); }
float __builtin_asinhf(float x) { return asinh(x); }
__ext(cl_khr_fp16) half __builtin_asinhf16(half x) { return asinh(x); }
__ext(cl_khr_fp64) double __builtin_atan(double x) { return atan(x); }
float __builtin_atanf(float x) { return atan(x); }
__ext(cl_khr_fp16) half __builtin_atanf16(half x) { return atan(x); }
__ext(cl_khr_fp64) double __builtin_atanh(double x) { return atanh(x); }
float __builtin_atanhf(float x) { return atanh(x); }
__ext(cl_khr_fp16) half __builtin_atanhf16(half x) { return atanh(x); }
__ext(cl_khr_fp64) double __builtin_cbrt(double x) { return cbrt(x); }
float __builtin_cbrtf(float x) { return cbrt(x); }
__ext(cl_khr_fp16) half __builtin_cbrtf16(half x) { return cbrt(x); }
__ext(cl_khr_fp64) double __builtin_ceil(double x) { return ceil(x); }
float __builtin_ceilf(float x) { return ceil(x); }
__ext(cl_khr_fp16) half __builtin_ceilf16(half x) { return ceil(x); }
__ext(cl_khr_fp64) double __builtin_cos(double x) { return cos(x); }
float __builtin_cosf(float x) { return cos(x); }
__ext(cl_khr_fp16) half __builtin_cosf16(half x) { return cos(x); }
__ext(cl_khr_fp64) double __builtin_cosh(double x) { return cosh(x); }
float __builtin_coshf(float x) { return cosh(x); }
__ext(cl_khr_fp16) half __builtin_coshf16(half x) { return cosh(x); }
__ext(cl_khr_fp64) double __builtin_erf(double x) { return erf(x); }
float __builtin_erff(float x) { return erf(x); }
__ext(cl_khr_fp16) half __builtin_erff16(half x) { return erf(x); }
__ext(cl_khr_fp64) double __builtin_erfc(double x) { return erfc(x); }
float __builtin_erfcf(float x) { return erfc(x); }
__ext(cl_khr_fp16) half __builtin_erfcf16(half x) { return erfc(x); }
__ext(cl_khr_fp64) double __builtin_exp(double x) { return exp(x); }
float __builtin_expf(float x) { return exp(x); }
__ext(cl_khr_fp16) half __builtin_expf16(half x) { return exp(x); }
__ext(cl_khr_fp64) double __builtin_exp2(double x) { return exp2(x); }
float __builtin_exp2f(float x) { return exp2(x); }
__ext(cl_khr_fp16) half __builtin_exp2f16(half x) { return exp2(x); }
__ext(cl_khr_fp64) double __builtin_exp10(double x) { return exp10(x); }
float __builtin_exp10f(float x) { return exp10(x); }
__ext(cl_khr_fp16) half __builtin_exp10f16(half x) { return exp10(x); }
__ext(cl_khr_fp64) double __builtin_expm1(double x) { return expm1(x); }
float __builtin_expm1f(float x) { return expm1(x); }
__ext(cl_khr_fp16) half __builtin_expm1f16(half x) { return expm1(x); }
__ext(cl_khr_fp64) double __builtin_fabs(double x) { return fabs(x); }
float __builtin_fabsf(float x) { return fabs(x); }
__ext(cl_khr_fp16) half __builtin_fabsf16(half x) { return fabs(x); }
__ext(cl_khr_fp64) double __builtin_floor(double x) { return floor(x); }
float __builtin_floorf(float x) { return floor(x); }
__ext(cl_khr_fp16) half __builtin_floorf16(half x) { return floor(x); }
__ext(cl_khr_fp64) double __builtin_lgamma(double x) { return lgamma(x); }
float __builtin_lgammaf(float x) { return lgamma(x); }
__ext(cl_khr_fp16) half __builtin_lgammaf16(half x) { return lgamma(x); }
__ext(cl_khr_fp64) double __builtin_log(double x) { return log(x); }
float __builtin_logf(float x) { return log(x); }
__ext(cl_khr_fp16) half __builtin_logf16(half x) { return log(x); }
__ext(cl_khr_fp64) double __builtin_log10(double x) { return log10(x); }
float __builtin_log10f(float x) { return log10(x); }
__ext(cl_khr_fp16) half __builtin_log10f16(half x) { return log10(x); }
__ext(cl_khr_fp64) double __builtin_log1p(double x) { return log1p(x); }
float __builtin_log1pf(float x) { return log1p(x); }
__ext(cl_khr_fp16) half __builtin_log1pf16(half x) { return log1p(x); }
__ext(cl_khr_fp64) double __builtin_log2(double x) { return log2(x); }
float __builtin_log2f(float x) { return log2(x); }
__ext(cl_khr_fp16) half __builtin_log2f16(half x) { return log2(x); }
__ext(cl_khr_fp64) double __builtin_logb(double x) { return logb(x); }
float __builtin_logbf(float x) { return logb(x); }
__ext(cl_khr_fp16) half __builtin_logbf16(half x) { return logb(x); }
__ext(cl_khr_fp64) double __builtin_rint(double x) { return rint(x); }
float __builtin_rintf(float x) { return rint(x); }
__ext(cl_khr_fp16) half __builtin_rintf16(half x) { return rint(x); }
__ext(cl_khr_fp64) double __builtin_round(double x) { return round(x); }
float __builtin_roundf(float x) { return round(x); }
__ext(cl_khr_fp16) half __builtin_roundf16(half x) { return round(x); }
__ext(cl_khr_fp64) double __builtin_sin(double x) { return sin(x); }
float __builtin_sinf(float x) { return sin(x); }
__ext(cl_khr_fp16) half __builtin_sinf16(half x) { return sin(x); }
__ext(cl_khr_fp64) double __builtin_sinh(double x) { return sinh(x); }
float __builtin_sinhf(float x) { return sinh(x); }
__ext(cl_khr_fp16) half __builtin_sinhf16(half x) { return sinh(x); }
__ext(cl_khr_fp64) double __builtin_sqrt(double x) { return sqrt(x); }
float __builtin_sqrtf(float x) { return sqrt(x); }
__ext(cl_khr_fp16) half __builtin_sqrtf16(half x) { return sqrt(x); }
__ext(cl_khr_fp64) double __builtin_tan(double x) { return tan(x); }
float __builtin_tanf(float x) { return tan(x); }
__ext(cl_khr_fp16) half __builtin_tanf16(half x) { return tan(x); }
__ext(cl_khr_fp64) double __builtin_tanh(double x) { return tanh(x); }
float __builtin_tanhf(float x) { return tanh(x); }
__ext(cl_khr_fp16) half __builtin_tanhf16(half x) { return tanh(x); }
__ext(cl_khr_fp64) double __builtin_tgamma(double x) { return tgamma(x); }
float __builtin_tgammaf(float x) { return tgamma(x); }
__ext(cl_khr_fp16) half __builtin_tgammaf16(half x) { return tgamma(x); }
__ext(cl_khr_fp64) double __builtin_trunc(double x) { return trunc(x); }
float __builtin_truncf(float x) { return trunc(x); }
__ext(cl_khr_fp16) half __builtin_truncf16(half x) { return trunc(x); }
__ext(cl_khr_fp64) double __builtin_nearbyint(double x) { return rint(x); }
float __builtin_nearbyintf(float x) { return rint(x); }
__ext(cl_khr_fp16) half __builtin_nearbyintf16(half x) { return rint(x); }
__ext(cl_khr_fp64) double __builtin_roundeven(double x) { return rint(x); }
float __builtin_roundevenf(float x) { return rint(x); }
__ext(cl_khr_fp16) half __builtin_roundevenf16(half x) { return rint(x); }
__ext(cl_khr_fp64) double __builtin_atan2(double x, double y) { return atan2(x, y); }
float __builtin_atan2f(float x, float y) { return atan2(x, y); }
__ext(cl_khr_fp16) half __builtin_atan2f16(half x, half y) { return atan2(x, y); }
__ext(cl_khr_fp64) double __builtin_copysign(double x, double y) { return copysign(x, y); }
float __builtin_copysignf(float x, float y) { return copysign(x, y); }
__ext(cl_khr_fp16) half __builtin_copysignf16(half x, half y) { return copysign(x, y); }
__ext(cl_khr_fp64) double __builtin_fdim(double x, double y) { return fdim(x, y); }
float __builtin_fdimf(float x, float y) { return fdim(x, y); }
__ext(cl_khr_fp16) half __builtin_fdimf16(half x, half y) { return fdim(x, y); }
__ext(cl_khr_fp64) double __builtin_fmax(double x, double y) { return fmax(x, y); }
float __builtin_fmaxf(float x, float y) { return fmax(x, y); }
__ext(cl_khr_fp16) half __builtin_fmaxf16(half x, half y) { return fmax(x, y); }
__ext(cl_khr_fp64) double __builtin_fmin(double x, double y) { return fmin(x, y); }
float __builtin_fminf(float x, float y) { return fmin(x, y); }
__ext(cl_khr_fp16) half __builtin_fminf16(half x, half y) { return fmin(x, y); }
__ext(cl_khr_fp64) double __builtin_fmod(double x, double y) { return fmod(x, y); }
float __builtin_fmodf(float x, float y) { return fmod(x, y); }
__ext(cl_khr_fp16) half __builtin_fmodf16(half x, half y) { return fmod(x, y); }
__ext(cl_khr_fp64) double __builtin_hypot(double x, double y) { return hypot(x, y); }
float __builtin_hypotf(float x, float y) { return hypot(x, y); }
__ext(cl_khr_fp16) half __builtin_hypotf16(half x, half y) { return hypot(x, y); }
__ext(cl_khr_fp64) double __builtin_nextafter(double x, double y) { return nextafter(x, y); }
float __builtin_nextafterf(float x, float y) { return nextafter(x, y); }
__ext(cl_khr_fp16) half __builtin_nextafterf16(half x, half y) { return nextafter(x, y); }
__ext(cl_khr_fp64) double __builtin_pow(double x, double y) { return pow(x, y); }
float __builtin_powf(float x, float y) { return pow(x, y); }
__ext(cl_khr_fp16) half __builtin_powf16(half x, half y) { return pow(x, y); }
__ext(cl_khr_fp64) double __builtin_remainder(double x, double y) { return remainder(x, y); }
float __builtin_remainderf(float x, float y) { return remainder(x, y); }
__ext(cl_khr_fp16) half __builtin_remainderf16(half x, half y) { return remainder(x, y); }
__ext(cl_khr_fp64) double __builtin_fma(double x, double y, double z) { return fma(x, y, z); }
float __builtin_fmaf(float x, float y, float z) { return fma(x, y, z); }
__ext(cl_khr_fp16) half __builtin_fmaf16(half x, half y, half z) { return fma(x, y, z); }
__ext(cl_khr_fp64) int __builtin_ilogb(double x) { return ilogb(x); }
__ext(cl_khr_fp64) double __builtin_ldexp(double x, int n) { return ldexp(x, n); }
__ext(cl_khr_fp64) double __builtin_scalbn(double x, int n) { return ldexp(x, n); }
__ext(cl_khr_fp64) double __builtin_powi(double x, int n) { return pown(x, n); }
__ext(cl_khr_fp64) double __builtin_frexp(double x, __any int *exponent) { return frexp(x, exponent); }
__ext(cl_khr_fp64) double __builtin_modf(double x, __any double *whole) { return modf(x, whole); }
__ext(cl_khr_fp64) double __builtin_canonicalize(double x) { return x * 1; }
int __builtin_ilogbf(float x) { return ilogb(x); }
float __builtin_ldexpf(float x, int n) { return ldexp(x, n); }
float __builtin_scalbnf(float x, int n) { return ldexp(x, n); }
float __builtin_powif(float x, int n) { return pown(x, n); }
float __builtin_frexpf(float x, __any int *exponent) { return frexp(x, exponent); }
float __builtin_modff(float x, __any float *whole) { return modf(x, whole); }
float __builtin_canonicalizef(float x) { return x * 1; }
__ext(cl_khr_fp16) int __builtin_ilogbf16(half x) { return ilogb(x); }
__ext(cl_khr_fp16) half __builtin_ldexpf16(half x, int n) { return ldexp(x, n); }
__ext(cl_khr_fp16) half __builtin_scalbnf16(half x, int n) { return ldexp(x, n); }
__ext(cl_khr_fp16) half __builtin_powif16(half x, int n) { return pown(x, n); }
__ext(cl_khr_fp16) half __builtin_frexpf16(half x, __any int *exponent) { return frexp(x, exponent); }
__ext(cl_khr_fp16) half __builtin_modff16(half x, __any half *whole) { return modf(x, whole); }
__ext(cl_khr_fp16) half __builtin_canonicalizef16(half x) { return x * 1; }

// Infinity, and NaNs with the bits that a number in a string says.

ulong __payload(const constant char *text)
{
    ulong base = 10, number = 0;
    if (*text == '0') {
        text++;
        base = 8;
        if (*text == 'x' || *text == 'X') {
            text++;
            base = 16;
        }
    }
    for (; *text; text++) {
        char c = *text | 0x20;
        number = number * base + (c >= 'a' ? c - 'a' + 10 : *text - '0');
    }
    return number;
}

__ext(cl_khr_fp64) double __builtin_inf(void) { return as_double(0x7ff0000000000000l); }
float __builtin_inff(void) { return as_float(0x7f800000); }
__ext(cl_khr_fp16) half __builtin_inff16(void) { return as_half((short)0x7c00); }
__ext(cl_khr_fp64) double __builtin_huge_val(void) { return as_double(0x7ff0000000000000l); }
float __builtin_huge_valf(void) { return as_float(0x7f800000); }
__ext(cl_khr_fp16) half __builtin_huge_valf16(void) { return as_half((short)0x7c00); }
__ext(cl_khr_fp64) double __builtin_nan(const constant char *text)
{
    return as_double(0x7ff8000000000000ul | (__payload(text) & 0x7fffffffffffful));
}
float __builtin_nanf(const constant char *text)
{
    return as_float(0x7fc00000u | ((uint)__payload(text) & 0x3fffffu));
}
__ext(cl_khr_fp16) half __builtin_nanf16(const constant char *text)
{
    return as_half((ushort)(0x7e00 | (__payload(text) & 0x1ff)));
}
__ext(cl_khr_fp64) double __builtin_nans(const constant char *text)
{
    ulong bits = __payload(text) & 0x7fffffffffffful;
    return as_double(0x7ff0000000000000ul | (bits ? bits : 0x4000000000000ul));
}
float __builtin_nansf(const constant char *text)
{
    uint bits = (uint)__payload(text) & 0x3fffffu;
    return as_float(0x7f800000u | (bits ? bits : 0x200000u));
}

// Of any floating type.

__lanes(1) int __builtin_isnan(gentypef x) { return isnan(x); }
__lanes(1) int __builtin_isinf(gentypef x) { return isinf(x); }
__lanes(1) int __builtin_isfinite(gentypef x) { return isfinite(x); }
__lanes(1) int __builtin_isnormal(gentypef x) { return isnormal(x); }
__lanes(1) int __builtin_signbit(gentypef x) { return signbit(x); }
int __builtin_isnanf(float x) { return isnan(x); }
int __builtin_isinff(float x) { return isinf(x); }
int __builtin_isfinitef(float x) { return isfinite(x); }
int __builtin_signbitf(float x) { return signbit(x); }
__lanes(1) int __builtin_isgreater(gentypef x, gentypef y) { return isgreater(x, y); }
__lanes(1) int __builtin_isgreaterequal(gentypef x, gentypef y) { return isgreaterequal(x, y); }
__lanes(1) int __builtin_isless(gentypef x, gentypef y) { return isless(x, y); }
__lanes(1) int __builtin_islessequal(gentypef x, gentypef y) { return islessequal(x, y); }
__lanes(1) int __builtin_islessgreater(gentypef x, gentypef y) { return islessgreater(x, y); }
__lanes(1) int __builtin_isunordered(gentypef x, gentypef y) { return isunordered(x, y); }
__lanes(1) int __builtin_isinf_sign(gentypef x) { return isinf(x) ? (signbit(x) ? -1 : 1) : 0; }
__lanes(1) int __builtin_fpclassify(int nan_is, int infinite, int normal, int subnormal, int zero, gentypef x)
{
    return isnan(x) ? nan_is : isinf(x) ? infinite : x == 0 ? zero : isnormal(x) ? normal : subnormal;
}
