// Work-group functions (s6.13.15), in loops, and in groups of one, odd and ragged sizes.
// options: -cl-std=CL2.0
// run: reduce global=7 local=4 args: int[7] = 5 -2 9 1 4 4 -8; int[42] = 0 ...
// expect: 1 = 13 -2 9 0 1 5 13 -2 9 0 1 5 13 -2 9 0 1 5 13 -2 9 0 1 5 0 -8 4 0 1 4 0 -8 4 0 1 4 0 -8 4 0 1 4
// run: scan global=6 local=3 args: int[6] = 3 1 2 7 -5 4; int[36] = 0 ...
// expect: 1 = 3 0 3 2147483647 3 -2147483648 4 3 1 3 3 3 6 4 1 1 3 3 7 0 7 2147483647 7 -2147483648 2 7 -5 7 7 7 6 2 -5 -5 7 7
// run: spread global=2,3 local=2,3 args: long[6] = 0 ...
// expect: 0 = 113 113 113 113 113 113
// run: kinds global=4 local=4 args: float[4] = 1.5 -2 8 0.25; double[4] = 0 ...; ulong[4] = 0 ...; uint[4] = 0 ...
// expect: 0 = 7.75 7.75 7.75 7.75
// expect: 1 = inf 1.5 -2 -2
// expect: 2 = 0 1 3 7
// expect: 3 = 4294967293 4294967294 4294967295 4294967295
// run: loop global=4 local=4 args: int[4] = 0 ...
// expect: 0 = 1000 1000 1000 1000
kernel void reduce(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i];
    out[6 * i] = work_group_reduce_add(x);
    out[6 * i + 1] = work_group_reduce_min(x);
    out[6 * i + 2] = work_group_reduce_max(x);
    out[6 * i + 3] = work_group_all(x > 0);
    out[6 * i + 4] = work_group_any(x == 4 || x == 9);
    out[6 * i + 5] = work_group_broadcast(x, 0);
}

kernel void scan(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i];
    out[6 * i] = work_group_scan_inclusive_add(x);
    out[6 * i + 1] = work_group_scan_exclusive_add(x);
    out[6 * i + 2] = work_group_scan_inclusive_min(x);
    out[6 * i + 3] = work_group_scan_exclusive_min(x);
    out[6 * i + 4] = work_group_scan_inclusive_max(x);
    out[6 * i + 5] = work_group_scan_exclusive_max(x);
}

kernel void spread(global long *out)
{
    long mine = get_local_id(1) * 10 + get_local_id(0) + 100;
    out[get_global_linear_id()] = work_group_broadcast(mine, 1, 1) + work_group_broadcast(get_local_id(1), 0, 2, 0);
}

kernel void kinds(global float *f, global double *d, global ulong *u, global uint *n)
{
    int i = get_local_id(0);
    float x = f[i];
    f[i] = work_group_reduce_add(x);
    d[i] = work_group_scan_exclusive_min((double)x);
    u[i] = work_group_scan_exclusive_add(1ul << i);
    n[i] = work_group_scan_inclusive_max(0xfffffffdu + (uint)min(i, 2));
}

kernel void loop(global int *out)
{
    int sum = 0;
    for (int i = 0; i < 100; ++i)
        sum += work_group_reduce_add(i & 1 ? (int)get_local_id(0) : 1) ;
    out[get_local_id(0)] = sum + work_group_broadcast(500, 3);
}
