// Tree reduction in local memory: a barrier in a loop over a uniform bound.
// run: sum global=16 local=8 args: int[16] = iota; int[2] = 0 0; local 32
// expect: 1 = 28 92
// run: sum global=4 local=1 args: int[4] = 5 6 7 8; int[4] = 0 ...; local 4
// expect: 1 = 5 6 7 8
kernel void sum(global const int *in, global int *out, local int *tile) {
    int l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            tile[l] += tile[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}
