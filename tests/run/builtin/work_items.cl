// Work-item queries in three dimensions with an offset; dimensions out of range.
// options: -cl-std=CL2.0
// run: k global=2,2,2 local=2,1,1 offset=10,20,30 args: int[8] = 0 ...; int[16] = 0 ...
// expect: 0 = 302010 302011 302110 302111 312010 312011 312110 312111
// expect: 1 = 3 2 2 2 1 1 10 20 30 1 0 2 2 2 1 7
kernel void k(global int *ids, global int *facts) {
    int linear = (get_global_id(2) - 30) * 4 + (get_global_id(1) - 20) * 2 + get_global_id(0) - 10;
    ids[linear] = get_global_id(2) * 10000 + get_global_id(1) * 100 + get_global_id(0);
    if (linear == 7) {
        facts[0] = get_work_dim();
        facts[1] = get_global_size(0);
        facts[2] = get_global_size(2);
        facts[3] = get_local_size(0);
        facts[4] = get_local_size(1);
        facts[5] = get_num_groups(0);
        for (uint d = 0; d < 3; ++d)
            facts[6 + d] = get_global_offset(d);
        facts[9] = get_local_size(3) * get_num_groups(7);
        facts[10] = get_global_id(3) + get_group_id(5);
        facts[11] = get_num_groups(1);
        facts[12] = get_num_groups(2);
        facts[13] = get_enqueued_local_size(0);
        facts[14] = get_group_id(1);
        facts[15] = get_global_linear_id();
    }
}
