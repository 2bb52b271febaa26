// Sub-groups over rows and planes: items count in the order of their linear ids.
// options: -cl-std=CL2.0
// run: k global=10,9,2 local=5,3,2 args: int[180] = iota ; int[180] = 0 ...
// run: k global=8,8 local=4,4 args: int[64] = iota ; int[64] = 0 ...
// run: k global=7,5 local=3,2 args: int[35] = iota ; int[35] = 0 ...
// run: k global=32,2 local=16,2 args: int[64] = iota ; int[64] = 0 ...
kernel void k(global const int *in, global int *out) {
    local int room[32];
    size_t i = get_global_linear_id();
    uint at = get_local_linear_id();
    int x = in[i], r = sub_group_reduce_add(x) + 7 * sub_group_scan_exclusive_max(x);
    if (get_local_id(1) % 2)
        r += sub_group_non_uniform_reduce_add((int)get_local_id(0)) * 3;
    room[at] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint next = get_sub_group_id() * get_max_sub_group_size() + (get_sub_group_local_id() + 1) % get_sub_group_size();
    out[i] = room[next] * 100 + (int)(at == get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id())
        + 2 * (sub_group_shuffle((int)get_local_id(2), 0) == (int)get_local_id(2));
}
