// Unsigned indices: some cannot wrap, some do so between items; bits of local ids.
// run: offset global=37 local=37 args: int[40] = iota; int[40] = -1 ... ; uint = 4294967290
// expect: 1 = 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 -1 -1 -1 -1 -1 -1 -1 -1 -1
// run: offset global=37 local=37 args: int[40] = iota; int[40] = -1 ... ; uint = 2
// expect: 1 = -1 -1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 -1
// run: down global=37 local=37 args: int[40] = iota; int[40] = -1 ... ; uint = 20
// expect: 1 = 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
// run: down global=37 local=37 args: int[40] = iota; int[40] = -1 ... ; uint = 39
// expect: 1 = -1 -1 -1 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30 33 32 35 34 37 36 39 38
// run: steps global=20 local=20 args: int[100] = iota; int[200] = 0 ... ; uint = 4294967286
// expect: 1 = 0 99 0 101 0 103 0 105 0 107 0 109 0 111 0 113 0 115 0 117 0 119 0 121 0 123 0 125 0 127 0 129 0 131 0 133 0 135 0 137 0 0 0 0 0 0 0 0 0 0 99 0 0 98 0 0 97 0 0 96 0 0 95 0 0 94 0 0 93 0 0 92 0 0 91 0 0 90 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5000 0 0 0 0 0 0 12000 0 0 0 0 0 0 19000 0 0 0 0 0 0 26000 0 0 0 0 0 0 33000 0 0 0 0 0 0 40000 0 0 0 0 0 0 47000 0 0 0 0 0 0 54000 0 0 0 0 0 0 61000 0 0 0 0 0 0 68000 0 0 0 0 0 0 75000 0 0 0 0 0 0 82000 0 0 0 0 0 0 89000 0 0 0 0 0 0 96000 0 0 0 0
// run: narrow global=64 local=64 args: int[256] = iota; int[256] = 0 ... ; uint = 230
// run: bits global=96 local=48 args: int[96] = iota; int[96] = 0 ... ; uint = 3
// run: rows global=9,5 local=9,5 args: int[64] = iota; int[64] = 0 ... ; uint = 12
// run: loops global=23 local=23 args: int[64] = iota; int[64] = 0 ... ; uint = 60
// run: divided global=60 local=60 args: int[100] = iota; int[60] = 0 ... ; uint = 20
// run: divided global=60 local=60 args: int[100] = iota; int[60] = 0 ... ; uint = 13
// run: divided global=60 local=60 args: int[100] = iota; int[60] = 0 ... ; uint = 7
// run: divided global=60 local=60 args: int[100] = iota; int[60] = 0 ... ; uint = 1
// run: divided global=60 local=60 args: int[100] = iota; int[60] = 0 ... ; uint = 64
// run: divided global=60 local=60 args: int[100] = iota; int[60] = 0 ... ; uint = 4294967295
// run: signs global=37 local=37 args: int[64] = iota; int[64] = 0 ... ; uint = 2147483640
// expect: 1 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 0 0 0 0 0 0 0 0 0 0 0 7 6 5 4 3 2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void offset(global const int *in, global int *out, uint n) {
    uint i = get_global_id(0) + n;
    if (i < 39)
        out[i] = in[(uint)get_global_id(0)] + 1;
}
kernel void down(global const int *in, global int *out, uint n) {
    uint i = n - get_global_id(0);
    if (i < 40)
        out[i] = in[i ^ 1];
}
kernel void steps(global const int *in, global int *out, uint n) {
    uint i = get_global_id(0), j = i * 7u + n, k = i + n;
    out[2u * i + 1u] = in[2 * i | 1] + 98;
    if (j < 99)
        out[j + 100] = in[j + 1] * 1000;
    if (k < 10)
        out[k * 3 + 50] = in[99 - k];
}
kernel void narrow(global const int *in, global int *out, uint n) {
    uchar c = (uchar)(get_local_id(0) + n);
    ushort s = (ushort)(get_local_id(0) * 2 + n);
    out[c] = in[(uchar)(c + 17)] + in[s & 127] * 1000;
}
kernel void bits(global const int *in, global int *out, uint n) {
    int l = get_local_id(0), g = get_group_id(0) * get_local_size(0);
    size_t s = get_local_id(0);
    uint u = get_local_id(0);
    int sum = in[l & 15] + in[(l >> 4) + 3] * 2 + in[l % 8 + 40] * 3 + in[l / 8] * 5 + in[s % 4] * 7 + in[s / 2] * 11;
    sum += in[(u & ~7u) + n] + in[(u | 16) & 63] * 13 + in[u ^ n] + in[u % 3u] + in[u / 3u] + in[(u & 6) + n] * 17;
    local int t[64];
    t[(u >> 3) * 8 + (u & 7)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g + l] = t[(u / 16) * 16 + 15 - u % 16] + sum * 3;
}
kernel void rows(global const int *in, global int *out, uint width) {
    uint x = get_global_id(0), y = get_global_id(1), at = y * width + x;
    uint left = x > 0 ? at - 1 : at, last = (get_global_size(1) - 1) * width;
    out[at] = in[left] + in[at + 1u] * 100 + in[last - y * width + x];
}
kernel void loops(global const int *in, global int *out, uint n) {
    int sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum = sum * 3 + in[i];
    for (uint i = 0; i < 3u; ++i)
        sum += in[i * 20u + (uint)get_global_id(0)] << i;
    for (uint i = (uint)get_global_id(0) + 5u; i-- > n - 50u;)
        sum += in[i];
    out[get_global_id(0)] = sum;
}
kernel void signs(global const int *in, global int *out, uint n) {
    int i = (int)((uint)get_global_id(0) + n);
    if (i < 0)
        out[i - (int)0x80000000] = in[i - (int)0x80000000];
    else
        out[i - 2147483640 + 40] = in[2147483647 - i];
}
kernel void divided(global const int *in, global int *out, uint n) {
    int i = get_global_id(0), w = n & 0x7fffffff, x = i % w, y = i / w;
    uint u = get_global_id(0), ux = u % n, uy = u / n;
    size_t s = get_global_id(0), sx = s % n, sy = s / n;
    int sum = in[i] + in[x] * 3 + in[y] * 5 + in[ux] * 7 + in[uy] * 11 + in[sx] * 13 + in[sy];
    if (w < 100) {
        sum += in[(y * w + x) % 100] + in[uy * n + ux] + in[sy * n + sx + 1];
        if (x > 0 && x < w - 1)
            sum += in[y * w + x - 1] * in[y * w + x + 1];
    }
    sum += in[i & 31] + in[s & 15] * 3 + in[u >> 4] * 5 + in[i / 32] + in[u / 16u] * 9 + in[u & 63u];
    out[i] = sum;
}
