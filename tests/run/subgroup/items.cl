// Sizes, numbers and places of sub-groups; the last one of a group is smaller, and so is that of the last group.
// options: -cl-std=CL2.0
// run: k global=30 local=20 args: uint[30] = 0 ... ; uint[30] = 0 ... ; uint[30] = 0 ... ; uint[30] = 0 ... ; uint[30] = 0 ...
// expect: 0 = 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 4 4 4 4 8 8 8 8 8 8 8 8 2 2
// expect: 1 = 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 2 2 2 2 2 2 2 2 2 2
// expect: 2 = 3 ...
// expect: 3 = 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 2 2 2 2 0 0 0 0 0 0 0 0 1 1
// expect: 4 = 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 0 1 2 3 4 5 6 7 0 1
__attribute__((intel_reqd_sub_group_size(8)))
kernel void k(global uint *size, global uint *count, global uint *enqueued, global uint *id, global uint *place) {
    size_t i = get_global_id(0);
    size[i] = get_sub_group_size();
    count[i] = get_num_sub_groups();
    enqueued[i] = get_enqueued_num_sub_groups();
    id[i] = get_sub_group_id();
    place[i] = get_sub_group_local_id();
}
