// Truth values that all items of a group share and that are needed behind a barrier: from conditions, loads, and a loop.
// run: k global=16 local=8 args: int[16] = 0 ... ; local 32; int = 2
// expect: 0 = 58 52 62 80 66 76 70 40 58 52 62 80 66 76 70 40
// run: k global=16 local=8 args: int[16] = 0 ... ; local 32; int = -3
// expect: 0 = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void k(global int *out, local int *t, int n) {
    int l = get_local_id(0), r = 0;
    t[l] = l * n;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool c = t[1] + t[2] > 3, d = false;
    for (int i = 0; i < 4; ++i) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = t[(l + i) & 7] + l;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        d |= t[3] > 11 * i;
        if (c && d)
            r += t[(l + 1) & 7];
        else if (c != d)
            r -= t[l];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = c ? r : d ? r + 1 : r * 3;
}
