// What one writes before a barrier of the sub-group the others read behind it; barriers of the group between sub-groups.
// options: -cl-std=CL2.0
// run: k global=64 local=32 args: int[64] = iota ; int[64] = 0 ...
// Calls that are asked to stay calls.
__attribute__((noinline)) int sum_of(int x) { return sub_group_reduce_add(x); }
kernel void k(global const int *in, global int *out) {
    local int room[32];
    local int sums[32];
    size_t i = get_global_id(0), l = get_local_id(0);
    int x = in[i] + 1;
    uint id = get_sub_group_local_id(), size = get_sub_group_size(), group = get_sub_group_id();
    room[l] = x;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    int next = room[group * size + (id + 1) % size];
    if (id == 0)
        sums[group] = next;
    int mine = sum_of(next) + sum_of(next) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 0; s < get_num_sub_groups(); ++s) {
        mine += sums[s] * (int)(s + 1);
        if (s == group) {
            sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
            mine = sub_group_scan_inclusive_add(mine);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == size - 1)
            sums[group] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = mine;
}
