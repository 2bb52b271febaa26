// A generic pointer to an item's own array at a place that all items share: each reads what it has itself written.
// options: -cl-std=CL2.0
// run: k global=48 local=16 args: int[48] = 7 ... ; local 64
// expect: 0 = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: other global=48 local=16 args: int[48] = 7 ... ; local 64
// expect: 0 = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48
struct numbers {
    int all[8];
};
constant int table[2] = {5, 3};
static int one(struct numbers n, int which) {
    int *p = n.all;
    return p[table[which]];
}
kernel void k(global int *out, local int *shared) {
    int i = get_local_id(0);
    shared[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (one((struct numbers){{1, 2, 3, 4, 5, 6, 7, 8}}, 0) != shared[i] - i + 6)
        out[get_global_id(0)] = 99;
    else
        out[get_global_id(0)] = 0;
}
kernel void other(global int *out, local int *shared) {
    int i = get_local_id(0);
    shared[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct numbers n = {{0}};
    n.all[shared[0] + 3] = get_global_id(0) + 1;
    out[get_global_id(0)] = one(n, 1);
}
