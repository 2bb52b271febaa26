// Items past the end return before the barrier.
// run: k global=8 local=8 args: int[8] = iota; int = 6; local 32
// expect: 0 = 5 4 3 2 1 0 6 7
kernel void k(global int *g, int n, local int *t) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    t[i] = g[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    g[i] = t[n - 1 - i];
}
