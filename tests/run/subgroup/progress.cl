// Sub-groups that wait for each other: every one goes on, whoever comes first, and its items meet again afterwards.
// options: -cl-std=CL2.0
// run: chain global=74 local=37 args: int[74] = iota ; int[74] = 0 ...
// run: turns global=48 local=24 args: int[48] = iota ; int[48] = 0 ...
// run: table global=40 local=40 args: int[40] = iota ; int[40] = 0 ...
kernel void chain(global const int *in, global int *out) {
    local atomic_int sums[40];
    size_t i = get_global_id(0), l = get_local_id(0);
    atomic_init(sums + l, -1);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint group = get_sub_group_id(), last = get_num_sub_groups() - 1;
    int before = 0;
    // The later ones go first, and only the first item of each looks.
    if (get_sub_group_local_id() == 0 && group < last)
        while ((before = atomic_load(sums + group + 1)) < 0)
            ;
    before = sub_group_broadcast(before, 0);
    int upto = sub_group_scan_inclusive_add(in[i]);
    int all = before + sub_group_reduce_add(in[i]);
    if (get_sub_group_local_id() == 0)
        atomic_store(sums + group, all);
    out[i] = upto * 10000 + all;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += atomic_load(sums);
}
kernel void turns(global const int *in, global int *out) {
    local atomic_int next;
    size_t i = get_global_id(0);
    if (get_local_id(0) == 0)
        atomic_init(&next, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int groups = get_num_sub_groups(), mine = groups - 1 - (int)get_sub_group_id(), r = in[i];
    // Turns by turns, in the order opposite to that of their numbers.
    for (int round = 0; round < 3; ++round) {
        while (atomic_load_explicit(&next, memory_order_acquire) != round * groups + mine)
            ;
        if (r & 1)
            r += sub_group_non_uniform_reduce_add(r) * (round + 1);
        else if (round < 2)
            r ^= sub_group_non_uniform_scan_exclusive_add(in[i] + mine);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (get_sub_group_local_id() == 0)
            atomic_store_explicit(&next, round * groups + mine + 1, memory_order_release);
        r = sub_group_all(r > 1000) ? r % 1000 : r;
    }
    out[i] = r;
}
// Each sub-group takes from the one behind it, until all have what the last one began with.
kernel void table(global const int *in, global int *out) {
    local volatile int room[40];
    size_t i = get_global_id(0);
    uint group = get_sub_group_id(), id = get_sub_group_local_id(), size = get_max_sub_group_size();
    room[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int r = 0;
    if (group == get_num_sub_groups() - 1) {
        if (id == 0)
            room[group * size] = sub_group_non_uniform_reduce_add(7);
        r = 7;
    } else {
        do {
            if (id == 0)
                r = room[(group + 1) * size];
            r = sub_group_broadcast(r, 0);
        } while (r == 0);
        if (id == 0)
            room[group * size] = r + 1;
    }
    out[i] = r + sub_group_reduce_max((int)id);
}
