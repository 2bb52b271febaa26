// Groups of several short rows: items that run side by side are of several of them.
// options: -cl-std=CL2.0
// run: where global=6,10,4 local=3,5,2 offset=1,2,3 args: int[240] = 0
// run: where global=8,8,1 local=4,4,1 args: int[64] = 0
// run: where global=7,9,3 local=3,4,2 args: int[189] = 0
kernel void where(global int *out) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;
    int own = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * get_global_id(1);
    out[at] = own * 7 + get_local_linear_id() * 3 + get_group_id(0);
}

// Ids on both sides of a barrier, and items that are gone before it.
// run: turn global=8,8 local=4,4 args: int[64] = iota; local 64
// run: turn global=6,9 local=3,3 args: int[54] = iota; local 36
// run: turn global=10,5 local=5,5 args: int[50] = iota; local 100
kernel void turn(global int *a, local int *tile) {
    int x = get_local_id(0), y = get_local_id(1), n = get_local_size(0);
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0), own = a[at] * 3;
    tile[y * n + x] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[at] = tile[x * n + y] + own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((x + y) % 3 == 1)
        return;
    tile[y * n + x] = x * 16 + y;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < y; k++)
        a[at] += (k + x) % 3 == 1 ? 1 : tile[k * n + x];
}

// Functions that stay calls ask for the item.
// run: calls global=6,6,2 local=3,2,2 args: int[72] = 0
__attribute__((noinline)) int who(int n) {
    return n + get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * get_global_id(1);
}
kernel void calls(global int *out) {
    size_t at = (get_global_id(2) * 6 + get_global_id(1)) * 6 + get_global_id(0);
    out[at] = who(get_global_id(0));
    if (get_local_id(1) == 1)
        out[at] += who(5);
}

// Work-group functions count items of all rows.
// run: sums global=6,6,2 local=3,3,2 args: int[72] = iota
kernel void sums(global int *out) {
    size_t at = (get_global_id(2) * 6 + get_global_id(1)) * 6 + get_global_id(0);
    int before = work_group_scan_exclusive_add(out[at]);
    out[at] = before + 1000 * work_group_broadcast(out[at], 2, 1, 1);
}
