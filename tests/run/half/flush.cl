// Denormal floats may be flushed; those of half are kept whatever is flushed.
// options: -cl-denorms-are-zero
// run: k args: half[4] = 0x0001 0x03ff 0x0400 1; half[16] = 0 ...; float[4] = 0 ...
// expect: 1 = 0x0002 0x07fe 0x0800 2 0 0x0200 0x0200 0.5 0x8001 0x83ff 0x8400 -1 1 0x03ff
// expect: 2 = 5.9604645e-8 6.097555e-5 6.1035156e-5 1
kernel void k(global const half *in, global half *out, global float *f) {
    half4 x = vload4(0, in);
    vstore4(x + x, 0, out);
    vstore4(x * 0.5h, 0, out + 4);
    vstore4(-x, 0, out + 8);
    vstore4(convert_float4(x), 0, f);
    out[12] = x.x > 0;
    out[13] = (half)f[1];
}
