// What may be said about half with cl_khr_fp16.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant half table[] = {1, 2.0, 3.0f, 4.0h, HALF_MAX, HALF_MIN, HALF_EPSILON, M_PI_H, 0x1p-24h, 1e3H};
constant half4 row = (half4)(1.0h, 2, 3.0f, 4.0);
struct s { half a; half2 b[2]; union { half h; ushort bits; } u; };
half add(half a, half b) { return a + b; }
half4 scaled(half4 v, half s) { return v * s + 1 - (half)0.5; }
int truth(half a, half b) { return a < b && a || !b; }
short4 mask(half4 a, half4 b) { return a < b || a != b && !a; }
float mixed(half a, float b) { return a + b; }
double more(half a, double b) { return a * b; }
half whole(half a, int b, ulong c) { return a + b - c; }
half counts(half a) { a++; --a; a += 2; a *= 0.5f; return -a; }
half picked(int c, half a, half b) { return c ? a : b; }
half4 chosen(short4 c, half4 a, half4 b) { return c ? a : b; }
half argument(void) { return add(1, 2.5f) + add(0.5, 1u); }
ushort bits(half a) { return as_ushort(a) + (ushort)as_short2((half2)(a, a)).y; }
half4 lanes(half8 v) { half4 r = v.even; r.xy = v.s01; r.w += (half)HALF_DIG; return r; }
kernel void k(global half *p, constant half3 *q, local half16 *l, half h, half2 v, global struct s *t,
              global float *f)
{
    half a[HALF_MANT_DIG] = {0};
    switch ((int)h) { case 1: a[0] = p[1]; }
    p[0] = p[1] * 1.5h + q->y + l[0].sf + a[0];
    t->u.h = sizeof(half) == 2 && sizeof(half3) == 8 && vec_step(half3) == 4 ? h : -h;
    t->b[1] = v;
    f[0] = h;
    f[1] = vload_half(0, p);
    vstore_half(f[1], 0, p);
    p[2] = f[0];
    p[3] = HALF_MAX_10_EXP + HALF_MAX_EXP + HALF_MIN_10_EXP + HALF_MIN_EXP + HALF_RADIX + FP_FAST_FMA_HALF;
    p[4] = M_E_H + M_LOG2E_H + M_LOG10E_H + M_LN2_H + M_LN10_H + M_PI_2_H + M_PI_4_H + M_1_PI_H + M_2_PI_H;
    p[5] = M_2_SQRTPI_H + M_SQRT2_H + M_SQRT1_2_H + row.x + table[2];
    p[6] = fmax(h, 1.0h) + pow(h, h) + select(h, h, (short)1) + fma(h, h, h) + max(h, h) + ldexp(h, 2);
    printf("%f %v2hf %v2hg\n", h, v, v);
}
