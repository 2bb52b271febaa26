// 32-bit atomics on global and local memory, all groups together.
// run: k global=64 local=8 args: int[8] = 0 0 100 0 0 0 0 0; local 4
// expect: 0 = 64 2016 0 63 64 64 8 5
kernel void k(volatile global int *g, local int *t) {
    int i = get_global_id(0);
    atomic_inc(&g[0]);
    atomic_add(&g[1], i);
    atomic_min(&g[2], i);
    atomic_max(&g[3], i);
    atomic_sub(&g[4], -1);
    if (get_local_id(0) == 0)
        *t = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(t);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_add(&g[5], *t);
        g[6] = *t;
    }
    int old = atomic_cmpxchg(&g[7], 0, 5);
    (void)old;
}
