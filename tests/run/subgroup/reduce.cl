// Reductions and scans of all, and of those who come to them.
// options: -cl-std=CL2.0
// run: all global=22 local=11 args: int[22] = iota ; int[22] = 0 ... ; int[22] = 0 ... ; int[22] = 0 ... ; float[22] = 0 ...
// expect: 1 = 36 36 36 36 36 36 36 36 30 30 30 124 124 124 124 124 124 124 124 63 63 63
// run: some global=16 local=16 args: int[16] = iota ; int[16] = 0 ... ; int[16] = 0 ... ; int[16] = 0 ... ; ulong[16] = 0 ...
// expect: 1 = 16 20 16 20 16 20 16 20 48 52 48 52 48 52 48 52
// expect: 3 = 1 0 4 2 9 6 16 12 9 0 20 10 33 22 48 36
__attribute__((intel_reqd_sub_group_size(8)))
kernel void all(global const int *in, global int *sum, global int *upto, global int *before, global float *most) {
    size_t i = get_global_id(0);
    int x = in[i] + 1;
    sum[i] = sub_group_reduce_add(x);
    upto[i] = sub_group_scan_inclusive_add(x);
    before[i] = sub_group_scan_exclusive_max(x ^ 5);
    most[i] = sub_group_reduce_max(1.0f / x) + sub_group_scan_exclusive_add((float)x) * sub_group_scan_inclusive_min(0.5f - x);
}
__attribute__((intel_reqd_sub_group_size(8)))
kernel void some(global const int *in, global int *sum, global int *product, global int *scan, global ulong *bits) {
    size_t i = get_global_id(0);
    int x = in[i] + 1;
    if (i % 2) {
        sum[i] = sub_group_non_uniform_reduce_add(x);
        scan[i] = sub_group_non_uniform_scan_exclusive_add(x);
    } else {
        sum[i] = sub_group_non_uniform_reduce_add(x);
        scan[i] = sub_group_non_uniform_scan_inclusive_add(x);
    }
    long r = 1;
    // Each turn has fewer.
    for (int j = 0; j < x % 5; ++j) {
        r = r * 3 + sub_group_non_uniform_reduce_mul((short)(x + j));
        if (sub_group_non_uniform_any(x == 7 + j))
            r ^= sub_group_non_uniform_scan_inclusive_xor(r);
        else if (x & 2)
            continue;
        r += sub_group_non_uniform_reduce_logical_and(j < x) + 2 * sub_group_non_uniform_scan_exclusive_logical_or(x == 3);
    }
    product[i] = (int)r;
    bits[i] = (ulong)sub_group_non_uniform_reduce_or((uchar)x) << 8 | sub_group_non_uniform_reduce_and((ushort)(x | 64));
}
