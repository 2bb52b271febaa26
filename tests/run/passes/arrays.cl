// Private arrays with indices that vary: what was stored is loaded again, next to stores that may be there or not, over
// barriers, through calls and copies, in loops that do not write them.
// run: shuffle global=4 local=4 args: int[4] = iota; int[4] = 3 2 1 0; int[4] = 0 ...
// expect: 2 = 13 23 33 43
// run: barriers global=4 local=4 args: int[4] = iota; int[4] = 0 ...; local 16
// expect: 1 = 6 8 2 4
// run: invariant global=2 local=2 args: int[4] = 2 1 5 7; int[2] = 0 ...; int = 3
// expect: 1 = 15 21
// run: invariant global=2 local=2 args: int[4] = 2 1 5 7; int[2] = 9 9; int = 0
// expect: 1 = 0 0
// run: structs global=2 local=2 args: int[2] = 1 0; int[2] = 0 ...
// expect: 1 = 76 33
// run: matrix global=2 local=1 args: int[12] = iota; int[2] = 0 ...; int = 6
// expect: 1 = 15 51
kernel void shuffle(global const int *in, global const int *at, global int *out)
{
    size_t i = get_global_id(0);
    int a[4] = {10, 20, 30, 40};
    int j = at[i];
    int before = a[i];
    a[j] = 1;
    int after = a[i];
    a[i] = before + in[j];
    a[j] += i == j ? 0 : after - before + in[i];
    out[i] = a[i] - in[j] + 3;
}

kernel void barriers(global const int *in, global int *out, local int *t)
{
    size_t i = get_local_id(0);
    int a[4];
    for (int k = 0; k < 4; k++)
        a[k] = in[k] + in[i];
    t[i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[(i + 1) & 3] = t[(i + 2) & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[(i + 1) & 3] + (a[i] == t[i] ? 2 * (i != 9) : 100);
}

// Sums that a loop does not change, in a loop that may not turn at all.
kernel void invariant(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    int a[2] = {in[2], in[3]};
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i];
    out[i] = sum;
}

struct pair { char small[2]; int large[2]; };

kernel void structs(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    struct pair p[2] = {{{1, 2}, {30, 40}}, {{5, 6}, {70, 80}}}, q[2];
    p[i].large[in[i]] -= 9;
    p[in[i]].small[i] += (char)(p[i].large[in[i]] != 0 ? 1 : 0);
    q[in[i]] = p[i];
    q[i] = p[in[i]];
    out[i] = q[i].small[i] + q[i].large[0];
}

// Products of counters.
kernel void matrix(global const int *in, global int *out, int width)
{
    int y = get_global_id(0), sum = 0;
    for (int row = 0; row < 2; row++)
        for (int x = 0; x < width; x++)
            if (row == y)
                sum += in[row * width + x];
    out[y] = sum;
}
