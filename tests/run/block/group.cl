// options: -cl-std=CL2.0
// Barriers and local memory in blocks.
// run: turn global=8 local=4 args: int[8] = iota
// expect: 0 = 3 2 1 0 7 6 5 4
// run: given global=8 local=4 args: int[8] = iota; local 16
// expect: 0 = 6 6 6 6 22 22 22 22
// run: again global=4 local=4 args: int[4] = iota; int = 3
// expect: 0 = 3 0 1 2
kernel void turn(global int *g)
{
    local int t[4];
    int l = get_local_id(0);
    void (^b)(void) = ^{
        t[l] = g[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        g[get_global_id(0)] = t[3 - l];
    };
    b();
}

int reduce(local int *t, int (^value)(int), void (^combine)(local int *, int))
{
    int l = get_local_id(0);
    t[l] = value(l);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            combine(t + l, step);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[0];
}

kernel void given(global int *g, local int *t)
{
    int base = get_group_id(0) * get_local_size(0);
    g[get_global_id(0)] = reduce(t, ^(int l) { return g[base + l]; },
                                 ^(local int *at, int step) { *at += at[step]; });
}

void times(int n, void (^body)(int)) { for (int i = 0; i < n; i++) body(i); }

kernel void again(global int *g, int n)
{
    local int t[4];
    int l = get_local_id(0), own = g[l];
    times(1, ^(int outer) {
        times(n - 2, ^(int i) {
            t[(l + 1) & 3] = own + outer;
            barrier(CLK_LOCAL_MEM_FENCE);
            g[l] = t[l] + i;
            barrier(CLK_LOCAL_MEM_FENCE);
        });
    });
}
