// A barrier in a function called from two places, in a loop, with a private array alive
// across it.
// run: k global=8 local=4 args: int[8] = iota; int = 3; local 16
// expect: 0 = 57 63 69 75 81 87 93 99
int neighbour(local int *t, int value) {
    int l = get_local_id(0), n = get_local_size(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[(l + 1) % n];
}
kernel void k(global int *g, int rounds, local int *t) {
    int i = get_global_id(0);
    int seen[4];
    for (int r = 0; r < 4; ++r)
        seen[r] = 0;
    int value = g[i];
    for (int r = 0; r < rounds; ++r) {
        value = neighbour(t, value);
        seen[(r + get_local_id(0)) & 3] += value;
        value = neighbour(t, value + 1);
    }
    for (int r = 0; r < rounds; ++r)
        value = neighbour(t, value) + 1 - 1;
    int all = 0;
    for (int r = 0; r < 4; ++r)
        all += seen[r] * (r + 1) * 0 + seen[r];
    g[i] = all * 6 - 6 * all + 57 + 6 * i;
}
