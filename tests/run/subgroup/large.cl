// Sub-groups of 32 and 64 items, with what is done for one lane after the other: calls, divisions, accesses to anywhere.
// options: -cl-std=CL2.0
// run: of_32 global=128 local=64 args: int[128] = iota ; int[128] = 0 ... ; ulong[128] = 0 ... ; int[128] = 0 ...
// expect: 1 = 528 528 528 528
// expect: 2 = 2863311530 2863311530
// run: of_64 global=256 local=128 args: int[256] = iota ; int[256] = 0 ... ; ulong[256] = 0 ... ; int[256] = 0 ...
// expect: 1 = 2080 2080 2080 2080
// expect: 2 = 12297829382473034410 12297829382473034410
// run: fewer global=96 local=48 args: int[96] = iota ; int[96] = 0 ...
// expect: 1 = 1176 1177 1179 1182
// run: by_itself global=128 local=128 args: int[128] = iota ; double[128] = 0 ... ; char[256] = 0 ... ; float[128] = 0 ...
__attribute__((noinline)) int odd(int x, int y) { return y ? x / y + x % y : x; }

void combine(global const int *in, global int *sum, global ulong *bits, global int *rest) {
    size_t i = get_global_id(0);
    int x = in[i] + 1;
    sum[i] = sub_group_reduce_add(x);
    uint4 ballot = sub_group_ballot(x % 2 == 0);
    bits[i] = (ulong)ballot.y << 32 | ballot.x;
    int y = sub_group_shuffle_xor(x, 5) - sub_group_shuffle(x, x * 7 & 31);
    if (x % 3 == 0)
        y += sub_group_non_uniform_scan_inclusive_add(x);
    for (int j = 0; j < x % 4; ++j)
        y ^= sub_group_non_uniform_reduce_xor(odd(x, j));
    rest[i] = y + sub_group_clustered_reduce_max(y, 16) + sub_group_rotate(y, 3);
}
__attribute__((intel_reqd_sub_group_size(32)))
kernel void of_32(global const int *in, global int *sum, global ulong *bits, global int *rest) {
    combine(in, sum, bits, rest);
}
__attribute__((intel_reqd_sub_group_size(64)))
kernel void of_64(global const int *in, global int *sum, global ulong *bits, global int *rest) {
    combine(in, sum, bits, rest);
}
__attribute__((intel_reqd_sub_group_size(64)))
kernel void fewer(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    int x = in[i] + 1;
    out[i] = sub_group_reduce_add(x) + sub_group_scan_exclusive_add(x);
    if (x % 3 == 0)
        out[i] += sub_group_non_uniform_reduce_max(odd(x, 2)) - sub_group_non_uniform_reduce_max(odd(x, 2));
}
__attribute__((intel_reqd_sub_group_size(64)))
kernel void by_itself(global const int *in, global double *out, global char *bytes, global float *more) {
    size_t i = get_global_id(0);
    int x = in[i] + 1;
    // Of longs, and in places that nothing is known of.
    long d = (long)x * 1234567891234l / (x * 77777777l % 1000 + 1);
    bytes[in[i * 37 % 128]] = (char)odd(x, (int)d & 7);
    atomic_add((volatile global int *)(bytes + 192) + x % 16, x);
    float f = sub_group_broadcast(convert_float(x), 40) + pow(2.0f, (float)sub_group_scan_inclusive_add(1) / 8);
    double all = 0;
    if (i & 1)
        all = sub_group_non_uniform_reduce_max((double)f + (double)(d % 1000));
    out[i] = all + sub_group_clustered_reduce_add((short)d, 4) + sub_group_reduce_min((uchar)d);
    more[i] = f;
}
