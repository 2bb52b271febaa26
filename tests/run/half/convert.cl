// Conversions from and to half in all modes.
// run: up args: float[8] = 65519 65520 1e9 1e-9 1.00048828125 -1.0001 0x7f800000 -70000; half[48] = 0 ...
// expect: 1 = 65504 inf inf 0 1 -1 inf -inf 65504 65504 65504 0 1 -1 inf -65504 inf inf inf 0x0001 0x3c01 -1 inf -65504 65504 65504 65504 0 1 0xbc01 inf -inf 65504 inf inf 0 1 -1 inf -inf
kernel void up(global const float *in, global half *out) {
    float8 x = vload8(0, in);
    vstore8(convert_half8(x), 0, out);
    vstore8(convert_half8_rtz(x), 0, out + 8);
    vstore8(convert_half8_rtp(x), 0, out + 16);
    vstore8(convert_half8_rtn(x), 0, out + 24);
    vstore8(convert_half8_rte(x), 0, out + 32);
}

// run: zeros args: float[2] = -1e-9 -4e-8; double[2] = -1e-60 -1.2e-45; half[8] = 0 ...; float[8] = 0 ...
// expect: 2 = 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000
// expect: 3 = 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x80000001 0x80000001
kernel void zeros(global const float *f, global const double *d, global half *h, global float *g) {
    h[0] = convert_half_rtz(f[0]), h[1] = convert_half_rtp(f[0]);
    h[2] = convert_half_rtz(f[1]), h[3] = convert_half_rtp(f[1]);
    h[4] = convert_half_rtz(d[0]), h[5] = convert_half_rtp(d[0]);
    h[6] = convert_half_rtz(d[1]), h[7] = convert_half_rte(d[1]);
    g[0] = convert_float_rtz(d[0]), g[1] = convert_float_rtp(d[0]);
    g[2] = convert_float_rtz(d[1]), g[3] = convert_float_rtp(d[1]);
    g[4] = convert_float_rte(d[0]), g[5] = d[0];
    g[6] = convert_float_rte(d[1]), g[7] = d[1];
}

// run: doubles args: double[6] = 1.00048828125 1.000488281250001 65519.99999 2.9802322387695312e-8 2.98023223876953162e-8 1e300; half[24] = 0 ...
// expect: 1 = 1 0x3c01 65504 0 1e-30 inf 1 1 65504 0 0 65504 0x3c01 0x3c01 inf 0x0001 0x0001 inf 1 0x3c01 65504 0 0x0001 inf
kernel void doubles(global const double *in, global half *out) {
    for (int i = 0; i < 6; i++) {
        double x = in[i];
        out[i] = i == 4 ? 0 : (half)x;
        out[6 + i] = convert_half_rtz(x);
        out[12 + i] = convert_half_rtp(x);
        out[18 + i] = convert_half_rte(x);
    }
}

// run: integers args: long[6] = 2049 2051 -2049 70000 65536 9223372036854775807; half[30] = 0 ...
// expect: 1 = 2048 2052 -2048 inf inf inf 2048 2050 -2048 65504 65504 65504 2050 2052 -2048 inf inf inf 2048 2050 -2050 65504 65504 65504 65504 inf 200 -100 65504 inf
kernel void integers(global const long *in, global half *out) {
    for (int i = 0; i < 6; i++) {
        out[i] = in[i];
        out[6 + i] = convert_half_rtz(in[i]);
        out[12 + i] = convert_half_rtp(in[i]);
        out[18 + i] = convert_half_rtn((int)min(in[i], 70000L));
    }
    out[24] = (half)(ushort)65519;
    out[25] = (half)65520u;
    out[26] = convert_half((uchar)200);
    out[27] = convert_half2((char2)(-100, 1)).x;
    out[28] = convert_half_rtz((ushort)65535);
    out[29] = convert_half_rtp((ushort)65535);
}

// run: down args: half[8] = 2.5 -2.5 3.5 -0.5 65504 -300 nan inf; int[48] = 0 ...; float[8] = 0 ...; double[8] = 0 ...
// expect: 1 = 2 -2 3 0 65504 -300 0 2147483647 2 -2 4 0 65504 -300 0 2147483647 3 -2 4 0 65504 -300 0 2147483647 2 -3 3 -1 65504 -300 0 2147483647 2 -2 3 0 127 -128 0 127 3 0 4 0 255 0 0 255
// expect: 2 = 2.5 -2.5 3.5 -0.5 65504 -300 nan inf
// expect: 3 = 2.5 -2.5 3.5 -0.5 65504 -300 nan inf
kernel void down(global const half *in, global int *out, global float *f, global double *d) {
    half8 x = vload8(0, in);
    vstore8(convert_int8_sat(x), 0, out);
    vstore8(convert_int8_sat_rte(x), 0, out + 8);
    vstore8(convert_int8_sat_rtp(x), 0, out + 16);
    vstore8(convert_int8_sat_rtn(x), 0, out + 24);
    vstore8(convert_int8(convert_char8_sat_rtz(x)), 0, out + 32);
    vstore8(convert_int8(convert_uchar8_sat_rtp(x)), 0, out + 40);
    vstore8(convert_float8(x), 0, f);
    for (int i = 0; i < 8; i++)
        d[i] = in[i];
}

// Flushing is for float: denormals of half stay.
// run: memory args: half[5] = 0x0001 0x83ff 1 2 3; float[12] = 0 ...; half[10] = 0 ...
// expect: 1 = 5.9604645e-8 -6.097555e-5 1 2 3 -6.097555e-5 1
// expect: 2 = 0x0001 0x83ff 1 2 0x0001 0x0002 0x0001
kernel void memory(global const half *in, global float *f, global half *out) {
    vstore4(vload_half4(0, in), 0, f);
    f[4] = vload_half(4, in);
    vstore2(vload_half2(0, in + 1), 0, f + 5);
    vstore_half4(vload4(0, f), 0, out);
    vstore_half_rtz(1e-7f, 4, out);
    vstore_half_rtp(1e-7, 5, out);
    vstore_half_rtn(1e-7, 6, out);
}
