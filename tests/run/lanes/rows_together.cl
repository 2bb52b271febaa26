// Vectors of several rows that are computed together: products by tiles, sums without barriers, rows that are left over, rows
// outside of a bound, planes, private arrays, rows that take different ways, and memory that rows share.
// run: product global=16,16 local=8,8 args: float[256] = iota; float[256] = iota; float[256] = 0 ... ; int = 16
// run: product global=8,8 local=8,4 args: float[64] = iota; float[64] = iota; float[64] = 0 ... ; int = 8
// run: sums global=37,11 local=37,11 args: float[512] = iota; float[512] = 0 ... ; int = 9
// run: sums global=18,6 local=6,3 args: float[512] = iota; float[512] = 0 ... ; int = 5
// run: bounded global=16,8 local=16,8 args: int[256] = iota; int[256] = 0 ... ; int = 13; int = 6
// run: bounded global=16,8 local=16,8 args: int[256] = iota; int[256] = 0 ... ; int = 16; int = 8
// run: planes global=4,4,4 local=4,4,2 args: int[64] = iota; int[64] = 0 ...
// run: arrays global=8,8 local=8,8 args: int[64] = iota; int[64] = 0 ...
// run: ways global=8,16 local=8,8 args: int[128] = iota; int[128] = 0 ... ; int = 3
// run: lengths global=8,8 local=8,8 args: int[64] = iota; int[64] = 0 ...
// run: column global=8,8 local=8,8 args: int[8] = 0 ... ; int[64] = 0 ...
// expect: 1 = 1 2 3 4 5 6 7 8 3 4 5 6 7 8 9 10 5 6 7 8 9 10 11 12 7 8 9 10 11 12 13 14 9 10 11 12 13 14 15 16 11 12 13 14 15 16 17 18 13 14 15 16 17 18 19 20 15 16 17 18 19 20 21 22
#define TILE 8
kernel void product(global const float *a, global const float *b, global float *c, int n) {
    local float from_a[TILE][TILE], from_b[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {
        for (int i = y; i < TILE; i += get_local_size(1)) {
            from_a[i][x] = a[(row - y + i) * n + start + x];
            from_b[i][x] = b[(start + i) * n + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum += from_a[y][k] * from_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
kernel void sums(global const float *in, global float *out, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = y, other = 1;
    for (int k = 0; k < n; k++) {
        sum = sum * in[y * n + k] + in[k * 37 + x];
        other += in[x + k] - sum;
    }
    out[y * get_global_size(0) + x] = sum - other;
}
kernel void bounded(global const int *in, global int *out, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int k = 0; k <= width; k++)
        sum += in[y * 16 + k] * in[k * 7 + x];
    out[y * 16 + x] = sum + 1;
}
kernel void planes(global const int *in, global int *out) {
    local int all[32];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2), at = (z * 4 + y) * 4 + x;
    all[at] = in[(get_global_id(2) * 4 + y) * 4 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum = sum * 3 + all[(z * 4 + y) * 4 + k] * all[(z * 4 + k) * 4 + x];
    out[(get_global_id(2) * 4 + y) * 4 + x] = sum;
}
kernel void arrays(global const int *in, global int *out) {
    int x = get_local_id(0), y = get_local_id(1), own[8], sum = 0;
    for (int k = 0; k < 8; k++)
        own[k] = in[y * 8 + k] * (x + 1);
    for (int k = 0; k < 8; k++)
        sum = sum * 5 + own[(in[k * 8] + y + k) & 7] * own[k];
    out[y * 8 + x] = sum;
}
kernel void ways(global const int *in, global int *out, int n) {
    int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), sum = row;
    for (int k = 0; k < 8; k++)
        sum = sum * 3 + in[row * 8 + k] + in[k * 8 + x];
    if (row == n) {
        for (int k = 0; k < 5; k++)
            sum ^= in[k + y] << k;
        out[row * 8 + (x ^ 1)] = sum;
    } else
        out[row * 8 + x] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int other = out[(row ^ 1) * 8 + x];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[row * 8 + x] += other;
}
kernel void lengths(global const int *in, global int *out) {
    int x = get_local_id(0), y = get_local_id(1), sum = 0;
    for (int k = 0; k <= y; k++)
        sum = sum * 3 + in[y * 8 + k] + in[k * 8 + x];
    out[y * 8 + x] = sum;
}
kernel void column(global int *counts, global int *out) {
    local int shared[TILE];
    int x = get_local_id(0), y = get_local_id(1);
    if (y == 0)
        shared[x] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = y * 2 + 1;
    for (int k = 0; k < 3; k++)
        sum += shared[x] - 0 * k;
    out[y * 8 + x] = sum - shared[x] * 2;
    atomic_inc(&counts[x]);
}
