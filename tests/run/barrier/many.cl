// Twenty conditional barriers in a row: code must stay linear.
// run: k global=4 local=4 args: int[4] = iota; int = 1048575; local 16
// expect: 0 = iota
// run: k global=4 local=4 args: int[4] = iota; int = 1; local 16
// expect: 0 = 3 2 1 0
#define STEP(n)                              \
    if (mask & (1 << n)) {                   \
        t[l] = v;                            \
        barrier(CLK_LOCAL_MEM_FENCE);        \
        v = t[3 - l];                        \
        barrier(CLK_LOCAL_MEM_FENCE);        \
    }
kernel void k(global int *g, int mask, local int *t) {
    int l = get_local_id(0);
    int v = g[l];
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9)
    STEP(10) STEP(11) STEP(12) STEP(13) STEP(14) STEP(15) STEP(16) STEP(17) STEP(18) STEP(19)
    g[l] = v;
}
