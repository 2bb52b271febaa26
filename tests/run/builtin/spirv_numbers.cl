// Functions for instructions of SPIR-V that OpenCL C has no function for. The remainder has the sign of the divisor.
// run: rest args: float[8] = 5.5 -5.5 5.5 -5.5 6 -6 0 -1; float[8] = 3 3 -3 -3 3 3 -3 1000; float[8] = 0 ...
// expect: 2 = 2.5 0.5 -0.5 -2.5 0 0 -0 999
kernel void rest(global const float *x, global const float *y, global float *out) {
    for (int i = 0; i < 8; i++)
        out[i] = __spirv_floored_mod(x[i], y[i]);
}

// run: bits args: int[12] = 0 ...; long[4] = 0 ...; char[6] = 0 ...
// expect: 0 = 0x12abc678 0x12345678 -1 0x45 5 -3 0 -1 -2147483648 0x1e6a2c48 0x12345678 0
// expect: 1 = -1 0x7f 0x00ffffffffffffff -2
// expect: 2 = 3 -1 0 -128 0x2d 1
kernel void bits(global int *out, global long *wide, global char *small) {
    uint base = 0x12345678;
    out[0] = (int)__spirv_insert_bits(base, 0xfffffabcu, 12u, 12u);
    out[1] = (int)__spirv_insert_bits(base, 0xffffffffu, 7u, 0u);
    out[2] = (int)__spirv_insert_bits(base, 0xffffffffu, 0u, 32u);
    out[3] = (int)__spirv_extract_bits(base, 12u, 8u);
    out[4] = __spirv_extract_bits(0x50, 4u, 4u);
    out[5] = __spirv_extract_bits(0xd0, 4u, 4u);
    out[6] = __spirv_extract_bits(-1, 9u, 0u);
    out[7] = __spirv_extract_bits(-1, 31u, 1u);
    out[8] = __spirv_extract_bits((int)0x80000000, 0u, 32u);
    out[9] = (int)__reverse(base);
    uint2 pair = __spirv_insert_bits((uint2)(base, 0xf), (uint2)(0, 0), 0u, 4u);
    out[10] = (int)pair.x | 8;
    out[11] = (int)pair.y;
    wide[0] = (long)__spirv_insert_bits(0ul, ~0ul, 0u, 64u);
    wide[1] = (long)__spirv_extract_bits(~0ul, 57u, 7u);
    wide[2] = (long)__spirv_extract_bits(~0ul, 8u, 56u);
    wide[3] = __spirv_extract_bits(2l, 0u, 2u);
    small[0] = (char)__spirv_extract_bits((uchar)0xf0, 6u, 2u);
    small[1] = __spirv_extract_bits((char)0xf0, 6u, 2u);
    small[2] = (char)__spirv_extract_bits((uchar)0xff, 8u, 0u);
    small[3] = (char)__reverse((uchar)1);
    small[4] = (char)__spirv_insert_bits((uchar)0x2d, (uchar)0xff, 8u, 0u);
    small[5] = __spirv_extract_bits((char)1, 0u, 8u);
}

// run: dots args: long[10] = 0 ...; int[8] = 0 ...; float[2] = 0 ...
// expect: 0 = 16256 130050 -65280 -32640 70 9223372036854775807 -9223372036854775808 -1 6 4
// expect: 1 = 2147483647 -2147483648 -1 127 -128 65535 -56 2147483647
// expect: 2 = 36 136
kernel void dots(global long *out, global int *sums, global float *floats) {
    char4 low = -128;
    uchar4 high = 255;
    out[0] = __spirv_dot((char2)127, (char2)(127, 1));
    out[1] = (long)__spirv_dot((uchar2)255, (uchar2)255);
    out[2] = __spirv_dot((char2)-128, (uchar2)255);
    out[3] = __spirv_dot((char4)(-128, 0, 0, 0), high);
    out[4] = __spirv_packed_dot(0x04030201, 0x08070605);
    out[5] = __spirv_add_dot_sat((long2)(1, 0), (long2)(5, 5), LONG_MAX - 1);
    out[6] = __spirv_add_dot_sat((short2)(-1, 0), (short2)(5, 5), LONG_MIN + 1);
    out[7] = (long)__spirv_add_dot_sat((ulong3)1, (ulong3)1, ULONG_MAX - 1);
    out[8] = __spirv_dot((short16)(1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (short16)1);
    out[9] = __spirv_packed_dot((int)0xffffffff, 0x01010101u) + 8;
    sums[0] = __spirv_add_packed_dot_sat((int)0x80808080, (int)0x80808080, INT_MAX - 1);
    sums[1] = __spirv_add_dot_sat(low, high, INT_MIN + 1);
    sums[2] = (int)__spirv_add_packed_dot_sat(0xffffffffu, 0xffffffffu, 0xffffffffu);
    sums[3] = __spirv_add_dot_sat((char2)(8, 0), (char2)(8, 0), (char)100);
    sums[4] = __spirv_add_packed_dot_sat((int)0xff, 100u, (char)-100);
    sums[5] = __spirv_add_packed_dot_sat(0xffu, 0xffu, (ushort)10000);
    sums[6] = __spirv_add_packed_dot_sat((int)0xff, 100u, (short)44);
    sums[7] = __spirv_add_packed_dot_sat(1, 1u, INT_MAX);
    floats[0] = __spirv_dot((float8)(1, 2, 3, 4, 5, 6, 7, 8), (float8)1);
    floats[1] = __spirv_dot((float16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), (float16)1);
}

// To nearest, ties to even; NaN stays NaN.
// run: brain args: uint[7] = 0x3f800000 0x3f808000 0x3f818000 0x3f808001 0x7f7fffff 0x7f800001 0x80000000; ushort[7] = 0 ...; float[2] = 0 ...
// expect: 1 = 0x3f80 0x3f80 0x3f82 0x3f81 0x7f80 0x7fc0 0x8000
// expect: 2 = 1 -2
kernel void brain(global const uint *bits, global ushort *out, global float *back) {
    for (int i = 0; i < 7; i++)
        out[i] = __spirv_to_bfloat16(as_float(bits[i]));
    vstore2(__spirv_from_bfloat16((ushort2)(0x3f80, 0xc000)), 0, back);
}
