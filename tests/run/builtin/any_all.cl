// The top bits of four lanes, in registers, in halves of them and in words; what lies beside them does not count.
// run: k args: long4[3] = 0 0 0 0 -1 -1 -1 -1 1 1 -1 1; int[24] = 0 ...
// expect: 1 = 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0
kernel void k(global const long4 *in, global int *out) {
    for (int i = 0; i < 3; ++i) {
        out[8 * i] = any(in[i]);
        out[8 * i + 1] = any(convert_int4(in[i]));
        out[8 * i + 2] = any(convert_short4(in[i]));
        out[8 * i + 3] = any(convert_char4(in[i]));
        out[8 * i + 4] = all(in[i]);
        out[8 * i + 5] = all(convert_int4(in[i]));
        out[8 * i + 6] = all(convert_short4(in[i]));
        out[8 * i + 7] = all(convert_char4(in[i]));
    }
}

// Bytes of each quarter of a register become words.
// run: wide args: uchar16[1] = 1 2 3 4 5 6 7 8 9 10 250 251 252 253 254 255; int16[1] = 0 ...; float8[1] = 0 ...
// expect: 1 = 1 2 3 4 5 6 7 8 9 10 250 251 252 253 254 255
// expect: 2 = 9 10 250 251 252 253 254 255
kernel void wide(global const uchar16 *in, global int16 *out, global float8 *floats) {
    *out = convert_int16(*in);
    *floats = convert_float8((*in).hi);
}
