// Addresses to which several numbers that vary are added: tiles of local memory read across, vectors of two and four, unsigned
// numbers that wrap before they are made wider, and such accesses where lanes part and in loops that they leave at different times.
// run: tile global=32 local=32 args: float[1024] = iota; float[32] = 0 ...; int = 4
// expect: 1 = 131 899 1667 2435 143 911 1679 2447 155 923 1691 2459 167 935 1703 2471 179 947 1715 2483 191 959 1727 2495 203 971 1739 2507 215 983 1751 2519
// run: vectors global=32 local=16 args: int[32] = 7 3 1 0 9 2 2 5 7 3 1 0 9 2 2 5 1 ...; float[512] = iota; float[128] = 0 ...
// run: wraps global=32 local=16 args: uint[32] = 4294967295 3 1 0 9 2 4294967290 5 7 3 1 0 9 2 2 5 1 ...; int[512] = iota; int[32] = 0 ...
// run: parts global=32 local=16 args: int[32] = 7 3 1 0 9 2 2 5 7 3 1 0 9 2 2 5 1 ...; int[512] = iota; int[32] = 0 ...
kernel void tile(global const float *a, global float *out, int rows) {
    local float t[32][32];
    int l = get_local_id(0), row = l % rows, column = l / rows;
    for (int r = 0; r < 32; ++r)
        t[r][l] = a[r * 32 + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
            sum += t[row * 4 + r][column * 2 + c] * (r + 1);
    out[l] = sum;
}

kernel void vectors(global const int *at, global const float2 *a, global float4 *out) {
    size_t i = get_global_id(0);
    int x = at[i], y = at[31 - i];
    global const float2 *from = a + x * 8 + (long)y * 4;
    float2 first = from[2], second = from[x + 3];
    out[i] = (float4)(first, second);
}

kernel void wraps(global const uint *at, global const int *a, global int *out) {
    size_t i = get_global_id(0);
    uint x = at[i], y = at[31 - i];
    out[i] = a[(x + 6u) % 64u * 2 + (y * 3u + 20u) % 128u] + a[(uint)(x + 20u) % 300u + (y & 15) * 4];
}

kernel void parts(global const int *at, global const int *a, global int *out) {
    size_t i = get_global_id(0);
    int x = at[i], y = at[31 - i], sum = 0, turn = 0;
    if (x > y)
        sum = a[x * 16 + y * 4 + 1] - a[x * 16 + y * 4 + 3];
    do {
        sum += a[x * 16 + turn * y];
    } while (++turn < x);
    out[i] = sum + a[turn * 4 + y];
}
