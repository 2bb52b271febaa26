// Builtins of half, a few of each family; all inputs of the unary ones are in tests/it/half.rs.
// options: -cl-std=CL2.0
// run: math args: half[8] = 2 0.5 -7.5 3 0x0001 inf nan 1000; half[48] = 0 ...; int[12] = 0 ...
// expect: 1 = 1.4140625 0.70703125 4 0.5 -1.5 1.5 -1.5 0x0000 -0.5 -7 0.5 -8 0.9375 -24 0x0002 0x8001 0x7bff 0 0.25 inf 0x0001 2.5 7 2.236328125 0x7e05 -7.5 0.5 2 8 2 2 0.90918 -0.41626 6 3 0x8000 -8 -7 -8 0x7c00 0x0010
// expect: 2 = -2 1 2147483647 3 -24 2147483647 -2147483648 1
kernel void math(global const half *in, global half *out, global int *ints) {
    half two = in[0], h = in[1], x = in[2], three = in[3], least = in[4], inf = in[5], bad = in[6];
    int e;
    half w;
    out[0] = sqrt(two);
    out[1] = rsqrt(two);
    out[2] = pow(two, two);
    out[3] = pown(two, -1);
    out[4] = fmod(x, three);
    out[5] = remainder(x, three) + 3;
    out[6] = remquo(-x, three, &e) - 3;
    ints[0] = e == 2 || e == 3 ? -2 : e;
    out[7] = fdim(h, two);
    out[8] = modf(x, &w);
    out[9] = w;
    out[10] = fract(x, &w);
    out[11] = w;
    out[12] = frexp(x, &e) * -1;
    ints[1] = e == 3;
    out[13] = logb(least);
    out[14] = nextafter(least, inf);
    out[15] = nextafter((half)0, -inf);
    out[16] = nextafter(inf, (half)0);
    out[17] = nextafter(least, -inf);
    out[18] = ldexp(h, -1);
    out[19] = ldexp(h, 100);
    out[20] = ldexp(three, -26);
    out[21] = hypot(two, 1.5h);
    out[22] = fma(two, three, 1.0h);
    out[23] = hypot(two, 1.0h);
    out[24] = nan((ushort)5);
    out[25] = maxmag(x, three);
    out[26] = minmag(h, x);
    out[27] = fmax(two, bad);
    out[28] = rootn(512.0h, 3);
    out[29] = cbrt(8.0h);
    out[30] = log2(4.0h);
    out[31] = sincos(two, &w);
    out[32] = w;
    out[33] = tgamma(4.0h);
    out[34] = mad(h, two, two);
    out[35] = copysign(0.0h, x);
    out[36] = rint(x);
    out[37] = ceil(x);
    out[38] = round(x);
    out[39] = exp(in[7]);
    out[40] = ldexp(1.0h, -20);
    ints[2] = ilogb(inf);
    ints[3] = ilogb(15.0h);
    ints[4] = ilogb(least);
    ints[5] = ilogb(bad);
    ints[6] = ilogb(0.0h);
    lgamma_r(x, &e);
    ints[7] = e;
}

// The product and the sum are rounded once: nearest even of 1 + 2^-11 + 2^-24 is above one.
// run: fused args: half[3] = 0x1001 0x2c01 0x3c00; half[4] = 0 ...
// expect: 1 = 0x3c00 0x3c01 0x3c01 0x3c01
kernel void fused(global const half *in, global half *out) {
    half a = ldexp(1.0h + 0x1p-10h, -5), b = ldexp(1.0h, -6), c = 1;
    out[0] = fma(a * 0, b, c);
    out[1] = fma(a, b, c);
    half2 v = fma((half2)a, (half2)b, (half2)c);
    out[2] = v.x;
    out[3] = fma((half3)a, (half3)b, (half3)c).z;
}

// run: vectors args: half[16] = 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256; half[96] = 0 ...
// expect: 1 = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 180 1 0.5 0 0 1 0 0.5 2 1 1 2 16 25 5 3 4 0 0 1 70 -4 8 -4 5 0.6001 0.7998 2 9 4 1 1 16 1 4
kernel void vectors(global const half *in, global half *out) {
    half16 x = vload16(0, in);
    vstore16(sqrt(x), 0, out);
    out[16] = degrees(M_PI_H);
    out[17] = radians(57.3h);
    out[18] = smoothstep(0.0h, 2.0h, 1.0h);
    half3 s = step((half3)(1, 2, 3), (half3)(0, 1, 2));
    out[19] = s.x;
    out[20] = sign(0.0h);
    out[21] = sign(x).s3;
    out[22] = clamp(-1.0h, 0.0h, 1.0h);
    out[23] = mix(0.0h, 1.0h, 0.5h);
    vstore2(max((half2)(2, 0), 1.0h), 0, out + 24);
    vstore2(min((half2)(1, 5), (half2)(3, 2)), 0, out + 26);
    vstore2(select((half2)(16, 4), (half2)(1, 25), (short2)(0, -1)), 0, out + 28);
    vstore2(bitselect((half2)(5, 3), (half2)(1), (half2)(0, 0)), 0, out + 30);
    out[32] = select(3.0h, 4.0h, (short)1);
    out[33] = isnan(1.0h);
    out[34] = signbit(1.0h);
    out[35] = isnormal(HALF_MIN);
    out[36] = dot((half4)(1, 2, 3, 4), (half4)(5, 6, 7, 8));
    vstore3(cross((half3)(1, 2, 3), (half3)(4, 4, 4)) , 0, out + 37);
    out[40] = length((half2)(3, 4));
    vstore2(normalize((half2)(3, 4)), 0, out + 41);
    out[43] = distance((half3)(1, 2, 3), (half3)(1, 4, 3));
    half4 picked = shuffle(x, (ushort4)(2, 1, 0, 0));
    vstore4(picked, 0, out + 44);
    half2 both = shuffle2((half2)(16, 4), (half2)(1, 1), (ushort2)(0, 3));
    vstore2(both, 0, out + 48);
    out[50] = length((half2)(40000, 60000)) > 65000 ? 4 : 0;
}

// run: relations args: half[4] = 1 nan inf 0x0001; short[40] = 0 ...
// expect: 1 = -1 0 -1 -1 0 0 -1 0 0 -1 0 0 -1 0 0 -1 0 -1 0 0 -1 0 0 -1 -1 0 0 0 0 0 -1 -1 -1 -1 -1 -1 1 0 0 1
kernel void relations(global const half *in, global short *out) {
    half4 x = vload4(0, in);
    vstore4(isequal(x, x), 0, out);
    vstore4(isinf(x), 0, out + 4);
    vstore4(isnan(x), 0, out + 8);
    vstore4(isfinite(x), 0, out + 12);
    vstore4(isunordered(x, x), 0, out + 16);
    vstore4(isless(x, (half4)2), 0, out + 20);
    vstore4(isnormal(x), 0, out + 24);
    vstore4(islessgreater(x, (half4)1), 0, out + 28);
    vstore4(signbit(-x), 0, out + 32);
    out[36] = isgreaterequal(in[2], in[0]);
    out[37] = isnotequal(in[0], in[0]);
    out[38] = islessequal(in[2], in[0]);
    out[39] = isinf(in[2]);
}

// run: group global=4 local=4 args: half[4] = 1 2 3 4; half[32] = 0 ...
// expect: 1 = 10 10 10 10 1 3 6 10 0 1 3 6 4 4 4 4 1 1 1 1 inf 1 1 1 3 3 3 3 1 2 3 4
kernel void group(global const half *in, global half *out) {
    size_t i = get_local_id(0);
    half x = in[i];
    out[i] = work_group_reduce_add(x);
    out[4 + i] = work_group_scan_inclusive_add(x);
    out[8 + i] = work_group_scan_exclusive_add(x);
    out[12 + i] = work_group_reduce_max(x);
    out[16 + i] = work_group_scan_inclusive_min(x);
    out[20 + i] = work_group_scan_exclusive_min(x);
    out[24 + i] = work_group_broadcast(x, 2);
    local half copy[4];
    event_t e = async_work_group_copy(copy, in, 4, 0);
    prefetch(in, 4);
    wait_group_events(1, &e);
    out[28 + i] = copy[i];
}
