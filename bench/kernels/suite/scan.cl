// Prefix sums by work-group functions: within work-groups, over the work-groups' sums, and the addition of both.
kernel void scan_groups(global const int *in, global int *out, global int *sums)
{
    size_t i = get_global_id(0);
    int sum = work_group_scan_inclusive_add(in[i]);
    out[i] = sum;
    if (get_local_id(0) == get_local_size(0) - 1)
        sums[get_group_id(0)] = sum;
}

kernel void scan_sums(global int *sums, int count)
{
    int carry = 0;
    for (int start = 0; start < count; start += get_local_size(0)) {
        int i = start + get_local_id(0);
        int mine = i < count ? sums[i] : 0;
        int before = work_group_scan_exclusive_add(mine);
        if (i < count)
            sums[i] = carry + before;
        carry += work_group_reduce_add(mine);
    }
}

kernel void add_sums(global int *out, global const int *sums)
{
    out[get_global_id(0)] += sums[get_group_id(0)];
}
