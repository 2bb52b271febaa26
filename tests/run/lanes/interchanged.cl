// Kernels whose second dimension is the one along which memory is read: row first, with offsets, ragged groups, barriers, and ids of
// all kinds.
// options: -cl-std=CL2.0
// run: product global=5,9 local=5,3 args: float[45] = 0 ... ; float[20] = iota ; float[36] = iota ; int = 4
// expect: 0 = 126 132 138 144 150 156 162 168 174 342 364 386 408 430 452 474 496 518 558 596 634 672 710 748 786 824 862 774 828 882 936 990 1044 1098 1152 1206 990 1060 1130 1200 1270 1340 1410 1480 1550
// run: product global=7,16 local=4,5 args: float[112] = 0 ... ; float[28] = iota ; float[64] = iota ; int = 4
// run: ids global=6,10,2 local=4,3,2 offset=3,1,5 args: int[400] = 0 ...
// run: ids global=3,40,1 local=1,40,1 args: int[400] = 0 ...
// run: tiles global=16,24 local=4,8 args: int[384] = 0 ... ; int[384] = iota ; local 128
// run: shorts global=2,32 local=2,32 args: int[64] = 0 ... ; int[64] = iota
kernel void product(global float *c, global const float *a, global const float *b, int n) {
    int row = get_global_id(0), column = get_global_id(1), width = get_global_size(1);
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * width + column];
    c[row * width + column] = sum;
}

kernel void ids(global int *out) {
    int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    int z = get_global_id(2) - get_global_offset(2);
    int width = get_global_size(0), height = get_global_size(1);
    int at = (z * width + x) * height + y;
    int sizes = get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
    int groups = get_num_groups(0) * 100 + get_num_groups(1) * 10 + get_num_groups(2);
    out[at] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_group_id(0) + 1000 * get_group_id(1) + 7 * sizes
              + 11 * groups + 13 * get_enqueued_local_size(1) + 17 * (int)get_global_linear_id() + 19 * (int)get_local_linear_id()
              + get_work_dim();
}

kernel void tiles(global int *out, global const int *in, local int *tile) {
    int x = get_local_id(0), y = get_local_id(1), wide = get_local_size(1);
    int row = get_global_id(0), column = get_global_id(1), width = get_global_size(1);
    int mine = in[row * width + column] * 3;
    tile[x * wide + y] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = tile[x * wide + (y ^ 1)] + tile[((x + 1) & 3) * wide + y];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[x * wide + y] = other;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[row * width + column] = mine + tile[(x ^ 2) * wide + (wide - 1 - y)];
}

kernel void shorts(global int *out, global const int *in) {
    int at = get_local_id(0) + 2 * get_local_id(1);
    out[at] = in[at ^ 1] + get_local_id(1);
}
