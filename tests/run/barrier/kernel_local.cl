// Local variables of the kernel, of two types, used beside a local argument.
// run: k global=8 local=4 args: int[8] = iota; local 16
// expect: 0 = 6 6 6 6 22 22 22 22
kernel void k(global int *g, local int *t) {
    local int sum;
    local short copy[4];
    int l = get_local_id(0);
    if (l == 0)
        sum = 0;
    copy[l] = g[get_global_id(0)];
    t[l] = copy[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, t[3 - l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    g[get_global_id(0)] = sum;
}
