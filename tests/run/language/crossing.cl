// Arguments and results of functions that stay calls: more than there are registers for, vectors of every size, halves.
// run: scalars global=3 local=3 args: long[3] = 0; double[3] = 0; int = 7
// expect: 0 = 1528 1538 1548
// expect: 1 = 135.5 144.5 153.5
// run: vectors global=3 local=3 args: float[48] = 0; int[48] = iota
// run: narrow global=4 local=4 args: int[64] = 0; uchar[64] = iota
// run: halves global=3 local=3 args: ushort[48] = iota
// run: mixed global=2 local=2 args: double[8] = 0; long[16] = iota

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define STAYS __attribute__((noinline))

STAYS long many(int a, long b, char c, short d, uint e, ulong f, int g, long h, char i, uchar j) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

STAYS double sums(float a, double b, float c, double d, float e, double f, float g, double h, float i, double j, float k) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 0.5f * k;
}

kernel void scalars(global long *out, global double *sum, int n) {
    int i = get_global_id(0);
    out[i] = many(i, 2, -3, 4, n, 6, i, -8, 9, 10) + many(n, i, 3, -4, 5, n, 7, 8, -9, 200) - 2 * many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    sum[i] = sums(i, 2, 3, 4, n, 6, 7, i, 9, -10, 11);
}

STAYS float2 two(float2 a, float b) { return a * b; }
STAYS float3 three(float3 a, int3 b) { return a + convert_float3(b); }
STAYS float4 four(float4 a, float2 b, float4 c) { return a * c + b.xyxy; }
STAYS float8 eight(float8 a, float8 b) { return a - b.s76543210; }
STAYS float16 sixteen(float16 a, int8 b, float16 c, float4 d, int *sum) {
    *sum += b.s0 + b.s7;
    return a + c.sfedcba9876543210 * d.xyzwxyzwxyzwxyzw;
}

kernel void vectors(global float *out, global const int *in) {
    int i = get_global_id(0), sum = i;
    float4 a = convert_float4(vload4(i, in));
    float8 b = convert_float8(vload8(i, in));
    float2 c = two(a.xy, 1.5f + i);
    float3 d = three(b.s135, vload3(i, in));
    a = four(a, c, (float4)(d, 2));
    b = eight(b, (float8)(a, b.lo));
    float16 e = sixteen((float16)(b, b + 1), vload8(i, in + 8), (float16)(a, b, a), a, &sum);
    vstore16(e + sum, i, out);
}

STAYS char2 bytes2(char2 a, uchar3 b) { return a + as_char2(b.zx); }
STAYS uchar3 bytes3(uchar3 a, char2 b) { return a * as_uchar2(b).xyx; }
STAYS uchar16 bytes16(uchar16 a, uchar8 b, uchar16 c) { return a - c + (uchar16)(b, b.s76543210); }
STAYS short4 words4(short4 a, short8 b) { return a * b.s1357; }
STAYS ushort8 words8(ushort8 a, short4 b, short2 c) { return a + as_ushort4(b).xyzwwzyx * (ushort)c.y; }

kernel void narrow(global int *out, global const uchar *in) {
    int i = get_global_id(0);
    uchar3 a = bytes3(vload3(i, in), as_char2(vload2(i, in)));
    char2 b = bytes2(as_char2(a.yz), a);
    uchar16 c = bytes16(vload16(i, in), vload8(i, in), vload16(0, in + i));
    ushort8 d = words8(convert_ushort8(c.lo), convert_short4(c.hi.lo), convert_short2(b));
    short4 e = words4(as_short4(d.lo), as_short8(d));
    vstore16(convert_int16(c) + (int16)(convert_int8(d), convert_int4(e), a.x, b.x, a.y, b.y), i, out);
}

STAYS half one_half(half a, int b, half c) { return a * (half)b + c; }
STAYS half2 two_halves(half2 a, half b) { return a + b; }
STAYS half8 eight_halves(half4 a, half8 b) { return b * a.xyzwwzyx; }
STAYS half16 sixteen_halves(half16 a, half3 b) { return a - b.xyzxyzxyzxyzxyzx; }

kernel void halves(global ushort *data) {
    int i = get_global_id(0);
    half16 all = convert_half16(vload16(i, data));
    half a = one_half(all.s1, i, all.s3);
    half2 b = two_halves(all.s45, a);
    half8 c = eight_halves((half4)(b, a, 1), all.lo);
    all = sixteen_halves((half16)(c, all.hi), all.s147);
    vstore16(as_ushort16(all), i, data);
}

STAYS double4 doubles(double2 a, long3 b, double4 c, double4 d, long4 e, int f) {
    return a.xyxy + convert_double4(e) * f + (double4)(convert_double3(b), 1) - c * d;
}
STAYS long8 longs(long8 a, global long *p, long8 b, private long *q) {
    return a * b + *p - *q;
}

kernel void mixed(global double *out, global long *in) {
    int i = get_global_id(0);
    long q = i + 3;
    long8 a = longs(vload8(i, in), in + i, vload8(1 - i, in), &q);
    double4 b = doubles(convert_double2(a.lo.lo), a.s123, convert_double4(a.lo), convert_double4(a.hi), a.s0246, i);
    vstore4(b, i, out);
}
