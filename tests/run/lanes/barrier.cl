// Barriers in a loop, with branches between that items do not agree on; sizes that lanes fill and do not fill.
// run: k global=64 local=64 args: int[64] = 0 ... ; local 256
// expect: 0 = 0 -12 17 72 7 24 0 3 0 12 -7 0 13 -6 0 -1 0 24 0 72 -1 -7 0 -12 17 72 7 24 0 3 0 12 -7 0 13 -6 0 -1 0 24 0 72 -1 -7 0 -12 17 72 7 24 0 3 0 12 -7 0 13 -6 0 -6 0 24 8 72
// run: k global=37 local=37 args: int[37] = 0 ... ; local 256
// expect: 0 = 0 -12 17 72 7 24 0 3 0 12 -7 0 13 -6 0 -1 0 24 0 72 -1 -7 0 -12 17 72 7 24 0 3 0 12 -9 0 5 -11 0
kernel void k(global int *out, local int *shared) {
    int i = get_local_id(0), n = get_local_size(0), a = i * i % 11;
    for (int t = 0; t < 3; ++t) {
        if (i % 2)
            shared[i] = a;
        else
            shared[i] = -a;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (a % 3 != 0)
            a += shared[(i + t + 1) % n];
        else
            a += shared[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = a;
}
