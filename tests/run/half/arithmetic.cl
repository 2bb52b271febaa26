// Operators on halves: every operation rounds to half, in scalars and in vectors of any width.
// run: scalars args: half[4] = 1 2048 65504 0x0001; half[16] = 0 ...; int[12] = 0 ...
// expect: 1 = 2048 2050 inf 65504 0x0002 0 0.33325195 0x0001 0x8000 nan -1 2047 -65504 3.140625
// expect: 2 = 1 0 1 1 3 -2 65504 1 1 0 1 2
kernel void scalars(global const half *in, global half *out, global int *truth) {
    half one = in[0], big = in[1], top = in[2], least = in[3];
    out[0] = big + one;
    out[1] = big + (one + one) + least;
    out[2] = top + top;
    out[3] = top + one;
    out[4] = least + least;
    out[5] = least * 0.5h;
    out[6] = one / 3;
    out[7] = least * 0.75h;
    out[8] = -(least - least);
    out[9] = (top + top) - (top + top);
    out[10] = -one;
    out[11] = big - 1;
    out[12] = -top;
    out[13] = M_PI_H;
    truth[0] = one < big;
    truth[1] = one == big;
    truth[2] = out[9] != out[9];
    truth[3] = !least == 0;
    truth[4] = (int)(one + 2.9h);
    truth[5] = (int)-2.9h;
    truth[6] = top;
    truth[7] = least ? 1 : 0;
    truth[8] = sizeof(one + 1) == 2 && sizeof(one + 1.0f) == 4 && sizeof(one + 1.0) == 8;
    truth[9] = isnan(top);
    truth[10] = (one + 0x1p-11f) > one;
    truth[11] = sizeof(half);
}

// run: vectors args: half[16] = 1 -2 3 0.5 65504 0x0001 0.1 -0.25 1000 1e-5 7 -0.0 inf nan 2 4; half[96] = 0 ...; short[48] = 0 ...
// expect: 1 = 2 -1 0 0 2 -1 4 0 2 -1 4 1.5 1 -4 9 0.25 inf 0x0000 0.0099945068359375 0.0625 1 4 9 0.25 inf 0 0.0099945068359375 0.0625 inf 0 49 0 inf nan 4 16 1 0.5 0.33325195 2
// expect: 2 = 0 -1 0 0 -1 -1 0 0 0 0 0 0 0 -1 0 0 0 0 0 -1
kernel void vectors(global const half *in, global half *out, global short *masks) {
    half2 two = vload2(0, in);
    half3 three = vload3(0, in);
    half4 four = vload4(0, in);
    half8 eight = vload8(0, in);
    half16 all = vload16(0, in);
    vstore2(two + 1.0h, 0, out);
    vstore3(three + (half3)1, 0, out + 4);
    vstore4(four + 1, 0, out + 8);
    vstore8(eight * eight * (half8)(1, -1, 1, 1, 1, 1, 1, 1), 0, out + 12);
    vstore16(all * all, 0, out + 20);
    vstore4(1 / fabs(four), 0, out + 36);
    vstore2(two < 0, 0, masks);
    vstore3(three != 1.0h, 0, masks + 3);
    vstore4(four == four.yxwz, 0, masks + 7);
    vstore8(eight < (half)0, 0, masks + 12);
    masks[19] = all.sd != all.sd ? -1 : 0;
}

// run: folded args: half[6] = 0 ...
// expect: 0 = 2048 inf 0x0001 0.33325195 4 1
kernel void folded(global half *out) {
    constant half *unused = 0;
    const half big = 2048;
    out[0] = big + 1.0h;
    out[1] = 60000.0h + 6000.0h;
    out[2] = 0x1p-24h;
    out[3] = 1.0h / 3.0h;
    out[4] = (half)3 + (half)1.0f;
    out[5] = (half)1.0;
}
