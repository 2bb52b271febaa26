// Bits of ids taken, changed or left out by numbers that only the launch knows: windows that lanes fill, do not fill, and step out
// of; masks with holes; signed and unsigned, of 32 and 64 bits; where the number is on the left; in loops, and one behind the other.
// run: kept global=32 local=16 args: float[64] = iota; float[32] = 0 ...; int = 16
// expect: 1 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// run: kept global=32 local=32 args: float[64] = iota; float[32] = 0 ...; int = 4
// run: kept global=32 local=32 args: float[64] = iota; float[32] = 0 ...; int = 23
// run: kept global=32 local=32 args: float[64] = iota; float[32] = 0 ...; int = 0
// run: kept global=32 local=32 args: float[64] = iota; float[32] = 0 ...; int = -2147483648
// run: partner global=128 local=64 args: uint[128] = iota; uint[128] = 0 ...; int = 64; int = 128
// run: partner global=128 local=64 args: uint[128] = iota; uint[128] = 0 ...; int = 16; int = 32
// run: partner global=128 local=64 args: uint[128] = iota; uint[128] = 0 ...; int = 1; int = 2
// run: partner global=128 local=64 args: uint[128] = iota; uint[128] = 0 ...; int = 20; int = 96
// run: partner global=128 local=64 args: uint[128] = iota; uint[128] = 0 ...; int = 0; int = 0
// run: shifted global=256 local=64 args: int[512] = iota; int[256] = 0 ...; uint = 5; ulong = 31
// run: shifted global=256 local=64 args: int[512] = iota; int[256] = 0 ...; uint = 2; ulong = 3
// run: shifted global=256 local=64 args: int[512] = iota; int[256] = 0 ...; uint = 31; ulong = 96
// run: shifted global=256 local=64 args: int[512] = iota; int[256] = 0 ...; uint = 0; ulong = 0
// run: pass global=128 local=64 args: float[512] = iota; float[512] = 0 ...; int = 1
// run: pass global=128 local=64 args: float[512] = iota; float[512] = 0 ...; int = 32
// run: pass global=128 local=64 args: float[512] = iota; float[512] = 0 ...; int = 128
// run: turns global=64 local=64 args: int[512] = iota; int[64] = 0 ...; int = 128; int = 32
// run: turns global=64 local=64 args: int[512] = iota; int[64] = 0 ...; int = 8; int = 1
// run: around global=64 local=32 args: float[1024] = 0 ...; int = 256
// run: around global=64 local=32 args: float[1024] = 0 ...; int = 512
// run: around global=8 local=8 args: float[1024] = 0 ...; int = 1000
kernel void around(global float *out, int size) {
    int i = get_global_id(0), at = i;
    for (int turn = 0; turn < 4; ++turn) {
        out[at & (size - 1)] = i * 10 + turn;
        at += get_global_size(0);
    }
}

kernel void kept(global const float *a, global float *out, int n) {
    int i = get_global_id(0), k = i & (n - 1);
    out[i] = n > 0 ? a[k] : a[k & 31] + 1;
}

kernel void partner(global const uint *a, global uint *out, int distance, int run) {
    int i = get_global_id(0), other = distance ^ i;
    uint here = a[i], there = a[other & 127];
    bool up = (i & run) == 0;
    out[i] = ((here > there) == up ? there : here) * 2 + (i | distance);
}

kernel void shifted(global const int *a, global int *out, uint shift, ulong mask) {
    size_t i = get_global_id(0);
    uint u = i;
    int row = u >> shift, column = u & ((1u << shift) - 1);
    out[i] = a[row] + 3 * a[column] + a[i & ~mask] + a[mask & i] * 5 + a[(int)i >> shift];
}

kernel void pass(global const float2 *a, global float2 *out, int done) {
    int i = get_global_id(0), k = i & (done - 1), at = ((i - k) << 1) + k;
    float2 x = a[i], y = a[i + 128];
    out[at & 255] = x + y;
    out[(at + done) & 255] = x - y;
}

kernel void turns(global const int *a, global int *out, int n, int step) {
    int i = get_global_id(0), at = i, sum = 0;
    for (int turn = 0; turn < 9; ++turn) {
        sum += a[at & (n - 1)] * (turn + 1) + a[(at ^ step) & 511];
        at += step;
    }
    out[i] = sum;
}
