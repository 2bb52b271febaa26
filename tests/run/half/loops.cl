// Halves that loops carry: what is computed rounds each time, what is only passed keeps its bits.
// run: k global=4 args: ushort[4] = 0x3c00 0x7c01 0x0001 0x7bff; int[4] = 3 0 11 2; ushort[8] = 0 ...
// expect: 2 = 0x3fff 0x7c01 0x0800 0x7c00 0x3dff 0x7c01 0x0800 0x7c00
kernel void k(global const ushort *in, global const int *times, global ushort *out) {
    size_t i = get_global_id(0);
    half x = as_half(in[i]), sum = x, passed = x;
    for (int n = 0; n < times[i]; n++) {
        sum = i == 0 ? sum + 0.3333h : sum + sum;
        half other = passed;
        passed = x;
        x = other;
    }
    out[i] = as_ushort(sum);
    half last = i == 0 ? sum - 0.5h : i == 2 ? sum + x : sum;
    out[4 + i] = as_ushort(last);
}

// run: vectors args: half[8] = 1 2 3 4 5 6 7 8; half[16] = 0 ...
// expect: 1 = 1024 2048 3072 4096 5120 6144 7168 8192 1.5 -3 1.5 0 0
kernel void vectors(global const half *in, global half *out) {
    half8 v = vload8(0, in);
    half3 small = v.s012;
    for (int n = 0; n < 10; n++) {
        v = v + v;
        small = n == 4 ? -small : small * 1.0h;
        if (n == 7)
            small.s2 = small.s0 = 1.5h;
    }
    vstore8(v, 0, out);
    vstore3(small * (half3)(1, 1.5h, 1), 0, out + 8);
}
