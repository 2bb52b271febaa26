// Work-groups of one item have barriers that nobody else comes to: in loops, of which each item takes another number of turns, and
// beside functions for the group.
// options: -cl-std=CL2.0
// run: products global=5,3 local=1,1 args: float[15] = 0 ...; float[12] = iota; float[20] = iota; int = 4
// expect: 0 = 70 76 82 88 94 190 212 234 256 278 310 348 386 424 462
// run: turns global=6 local=1 args: int[6] = 0 ...
// expect: 0 = 0 1 3 6 10 15
// run: turns global=6 local=2 args: int[6] = 0 ...
// expect: 0 = 0 0 6 6 20 20
// run: group global=3 local=1 args: int[3] = 5 6 7; int[3] = 0 ...
// expect: 1 = 10 12 14
kernel void products(global float *to, global const float *a, global const float *b, int n) {
    local float as[2], bs[2];
    size_t x = get_global_id(0), y = get_global_id(1), own = get_local_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        as[own] = a[y * n + k];
        bs[own] = b[k * get_global_size(0) + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += as[0] * bs[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    to[y * get_global_size(0) + x] = sum;
}

kernel void turns(global int *to) {
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int items = get_local_size(0);
    for (int i = 0; i <= get_group_id(0) * items; i++) {
        if (get_local_id(0) == 0)
            sum += i * items;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    to[get_global_id(0)] = sum;
}

kernel void group(global int *from, global int *to) {
    local int kept[1];
    event_t done = async_work_group_copy(kept, from + get_group_id(0), 1, 0);
    wait_group_events(1, &done);
    barrier(CLK_LOCAL_MEM_FENCE);
    to[get_group_id(0)] = kept[0] + work_group_reduce_add(kept[0]);
}
