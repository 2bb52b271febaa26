// s6.13.2: half_ and native_ forms. They may be as inaccurate as 8192 ulp, or as an
// implementation likes; here they are the full functions, or one operation.

__each floatn half_cos(floatn x) { return cos(x); }
__each floatn native_cos(floatn x) { return cos(x); }
__each floatn half_exp(floatn x) { return exp(x); }
__each floatn native_exp(floatn x) { return exp(x); }
__each floatn half_exp2(floatn x) { return exp2(x); }
__each floatn native_exp2(floatn x) { return exp2(x); }
__each floatn half_exp10(floatn x) { return exp10(x); }
__each floatn native_exp10(floatn x) { return exp10(x); }
__each floatn half_log(floatn x) { return log(x); }
__each floatn native_log(floatn x) { return log(x); }
__each floatn half_log2(floatn x) { return log2(x); }
__each floatn native_log2(floatn x) { return log2(x); }
__each floatn half_log10(floatn x) { return log10(x); }
__each floatn native_log10(floatn x) { return log10(x); }
__each floatn half_rsqrt(floatn x) { return rsqrt(x); }
__each floatn native_rsqrt(floatn x) { return rsqrt(x); }
__each floatn half_sin(floatn x) { return sin(x); }
__each floatn native_sin(floatn x) { return sin(x); }
__each floatn half_sqrt(floatn x) { return sqrt(x); }
__each floatn native_sqrt(floatn x) { return sqrt(x); }
__each floatn half_tan(floatn x) { return tan(x); }
__each floatn native_tan(floatn x) { return tan(x); }
__each floatn half_divide(floatn x, floatn y) { return x / y; }
__each floatn half_powr(floatn x, floatn y) { return powr(x, y); }
__each floatn half_recip(floatn x) { return 1.0f / x; }
__each floatn native_divide(floatn x, floatn y) { return x / y; }
__each floatn native_powr(floatn x, floatn y) { return powr(x, y); }
__each floatn native_recip(floatn x) { return 1.0f / x; }
