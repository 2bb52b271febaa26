// The C library's functions as clang spells them, and what a vector is put together to.
// run: k args: int[22] = 0
// expect: 0 = 3 2 -2 1 0x7f800000 0x7fc00000 0x7fc00005 0x7fa00000 1 1 0 1 -1 4 10 24 4 -4 9 3 8 2
kernel void k(global int *out)
{
    int n = 0, e;
    float whole, x = -2.5f;
    out[n++] = (int)__builtin_sqrtf(9.0f);
    out[n++] = (int)__builtin_fabs(-2.5);
    out[n++] = (int)__builtin_roundevenf(x);
    out[n++] = __builtin_frexpf(1.0f, &e) == 0.5f && e == 1;
    out[n++] = as_int(__builtin_inff());
    out[n++] = as_int(__builtin_nanf(""));
    out[n++] = as_int(__builtin_nanf("0x5"));
    out[n++] = as_int(__builtin_nansf(""));
    out[n++] = __builtin_isnan(__builtin_nan(""));
    out[n++] = __builtin_isinf(__builtin_huge_val());
    out[n++] = __builtin_isfinite(__builtin_inff());
    out[n++] = __builtin_signbit(x) != 0;
    out[n++] = __builtin_isinf_sign(-__builtin_inff());
    out[n++] = __builtin_fpclassify(0, 1, 4, 2, 3, x);
    int4 v = (int4)(1, 2, 3, 4);
    out[n++] = __builtin_reduce_add(v);
    out[n++] = __builtin_reduce_mul(v);
    out[n++] = __builtin_reduce_max(v);
    out[n++] = __builtin_reduce_min(-v);
    float8 f = (float8)(1, 5, 9, 2, 3, 4, 8, 7);
    out[n++] = (int)__builtin_reduce_max(f);
    out[n++] = __builtin_elementwise_max(v, (int4)3).y;
    out[n++] = (int)__builtin_elementwise_sqrt((float2)(64, 4)).x;
    out[n++] = (int)__builtin_modff(2.5f, &whole) + (int)whole;
}
