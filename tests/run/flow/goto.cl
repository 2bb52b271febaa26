// goto forwards, backwards, out of loops, and into loops: the last makes a loop of two entries.
// run: k global=8 local=4 args: int[8] = iota; int[8] = 0 ...
// expect: 1 = 55 55 54 52 59 59 58 56
// run: two_entries global=4 local=2 args: int[4] = 0 1 2 3; int[4] = 0 ...
// expect: 1 = 5 45 5 45
// run: uniform global=4 local=4 args: int[4] = 1 2 3 4; int = 3
// expect: 0 = 4 1 2 3
kernel void k(global const int *in, global int *out)
{
    int n = in[get_global_id(0)] % 4, sum = 0, i = 10;
    if (in[get_global_id(0)] > 3)
        goto more;
again:
    sum += i;
    if (--i > n)
        goto again;
    for (;;) {
        for (;;) {
            if (i-- <= 0)
                goto done;
            sum += 1 + (i & 1 ? n : 0) * 0;
        }
    }
more:
    sum = 4;
    goto again;
done:
    out[get_global_id(0)] = sum;
}

kernel void two_entries(global const int *in, global int *out)
{
    int x = in[get_global_id(0)], n = 0, s = 0;
    if (x & 1)
        goto middle;
top:
    s += 1;
    if (n++ >= 3)
        goto end;
middle:
    s += 10 * (x & 1) + (n & 0);
    if (n < 3)
        goto top;
    s += 2;
end:
    out[get_global_id(0)] = s;
}

// A barrier in a loop made of goto, where all items agree.
kernel void uniform(global int *g, int times)
{
    local int t[4];
    int l = get_local_id(0), i = 0, mine = g[l];
loop:
    t[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine = t[(l + 1) % 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++i < times)
        goto loop;
    g[l] = mine;
}
