// Barriers in both arms of a uniform branch, and none in a third.
// run: k global=8 local=4 args: int[8] = iota; int = 0; local 16
// expect: 0 = 3 2 1 0 7 6 5 4
// run: k global=8 local=4 args: int[8] = iota; int = 1; local 16
// expect: 0 = 1 2 3 0 5 6 7 4
// run: k global=8 local=4 args: int[8] = iota; int = 2; local 16
// expect: 0 = -1 0 1 2 3 4 5 6
kernel void k(global int *g, int mode, local int *t) {
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    int mine = g[i];
    if (mode == 0) {
        t[l] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = t[n - 1 - l];
    } else if (mode == 1) {
        t[(l + n - 1) % n] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = t[l];
    } else {
        mine -= 1;
    }
    g[i] = mine;
}
