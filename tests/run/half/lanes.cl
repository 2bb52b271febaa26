// Halves of work-items side by side: as they are where the machine computes with them, in float elsewhere.
// run: binary global=70 local=70 args: half[80] = 1 2 -3 0.1 65504 0x0001 0x0200 inf nan -0.0 1e-5 7 ...; half[350] = 0 ...
// run: unary global=70 local=35 args: half[70] = 1.5 2.5 -3.5 0.1 65504 0x0001 -0.5 inf nan -0.0 1000 7 ...; half[350] = 0 ...
// run: fused global=64 local=64 args: half[64] = 1 0x3c01 -3 0.1 255 0x0001 0x0200 33 nan -0.0 1e-5 7 ...; half = 3; half[384] = 0 ...
// run: compared global=64 local=64 args: half[66] = 1 1 -3 0.1 inf inf nan 0 -0.0 0x0001 7 ...; int[64] = 0 ...; half[64] = 0 ...
// run: counted global=40 local=40 args: half[40] = 1 2 3 0.5 100 0x0001 nan -7 ...; int[40] = 0 1 2 3 9 5 ...; half[40] = 0 ...
// run: vectors global=12 local=12 args: half[96] = iota; half[4] = 0.5 -1 2 3; half[96] = 0 ...
kernel void binary(global const half *in, global half *out) {
    int i = get_global_id(0);
    half a = in[i], b = in[i + 1];
    out[i] = a + b;
    out[i + 70] = a - b;
    out[i + 140] = a * b;
    out[i + 210] = b / a;
    out[i + 280] = fmax(a, b) + copysign(a, b);
}
kernel void unary(global const half *in, global half *out) {
    int i = get_global_id(0);
    half a = in[i];
    out[i] = sqrt(a);
    out[i + 70] = rint(a);
    out[i + 140] = floor(a) - ceil(a);
    out[i + 210] = trunc(-a);
    out[i + 280] = fabs(a) * 3.0h + 1.0h;
}
// Whatever is the product, the sum, what comes from memory or is the same for all.
kernel void fused(global const half *in, half same, global half *out) {
    int i = get_global_id(0);
    half a = in[i], b = in[63 - i], c = in[i ^ 1];
    out[i] = fma(a, b, c);
    out[i + 64] = fma(a, same, -c);
    out[i + 128] = fma(-a, b, in[5]);
    out[i + 192] = fma(-a, 1.5h, -c);
    half sum = c;
    for (int k = 0; k < 5; ++k)
        sum = fma(sum, a, in[k]);
    out[i + 256] = sum;
    out[i + 320] = mad(a, 0.5h, 2.0h) + a * 2.0h - same;
}
kernel void compared(global const half *in, global int *bits, global half *out) {
    int i = get_global_id(0);
    half a = in[i], b = in[i + 1];
    bits[i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | isunordered(a, b) << 6 |
              isordered(a, b) << 7 | (a < 1.0h) << 8 | !a << 9;
    out[i] = a < b ? a : b + 1.0h;
    if (a > 2.0h)
        out[i] = a / 3.0h;
}
// Lanes that leave at different times.
kernel void counted(global const half *in, global const int *turns, global half *out) {
    int i = get_global_id(0);
    half a = in[i], sum = 0;
    for (int k = 0; k < turns[i]; ++k) {
        sum = sum * 0.75h + a;
        if (sum > 500.0h)
            break;
    }
    out[i] = sum + (half)i + convert_half_rtz((float)sum);
}
kernel void vectors(global const half *in, global const half *same, global half *out) {
    int i = get_global_id(0);
    half8 a = vload8(i, in);
    half4 s = vload4(0, same);
    half8 b = a * s.x + (half8)(s, s.wzyx);
    b = select(b, sqrt(fabs(b)), b > a.s76543210);
    vstore8(b - 1.0h, i, out);
}
