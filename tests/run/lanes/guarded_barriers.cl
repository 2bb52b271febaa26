// Barriers behind branches that depend on the item: groups come to them whole, and what they count with is the same for all.
// run: k global=16 local=8 args: int[16] = iota ; int[16] = 0 ... ; int = 17 ; int = 16 ; local 32
// expect: 1 = 142 132 122 112 102 92 82 72 80 92 104 116 128 140 152 164
kernel void k(global const int *a, global int *out, int n, int size, local int *tile) {
    int l = get_local_id(0), i = l * 2 + get_group_id(0) * 16, sum = 0;
    if (i < n / 16 * 16 && l < n) {
        int at = 0;
        for (; at < size; at += 8) {
            tile[l] = a[at + l];
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += tile[7 - l] * (at + 1);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    } else {
        int at = 0;
        for (; at < size; at += 8) {
            tile[7 - l] = a[at + l];
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += tile[7 - l] * (at + 2);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(0)] = sum;
}
