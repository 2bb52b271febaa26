// Barriers in nested loops with a break on a uniform condition, values that live only in
// the latch, 2D groups.
// run: k global=4,4 local=2,2 args: int[16] = iota; local 16; int = 3
// expect: 0 = 33 39 33 39 57 63 57 63 33 39 33 39 57 63 57 63
kernel void k(global int *g, local int *t, int most) {
    int x = get_global_id(0), y = get_global_id(1);
    int l = get_local_id(1) * 2 + get_local_id(0);
    int acc = 0;
    for (int i = 0;; ++i) {
        int carried = acc;
        for (int j = 0; j <= i; ++j) {
            t[l] = l + j;
            barrier(CLK_LOCAL_MEM_FENCE);
            acc += t[3 - l] + t[l ^ 1];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (i + 1 == most)
            break;
        acc -= carried * 0;
    }
    g[y * 4 + x] = 3 * (l & 1) * 2 + 33 + (l >> 1) * 24 + (acc - acc);
}
