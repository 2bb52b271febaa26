// Ids put together from those of groups and inside of groups are global ids, if groups have one size and ids begin with 0.
// options: -cl-std=CL2.0
// run: k global=48 local=16 args: int[100] = 0; int[48] = 7 ...; int = 100
// run: k global=40 local=16 args: int[100] = 0; int[48] = 7 ...; int = 100
// run: k global=48 local=16 offset=5 args: int[100] = 0; int[48] = 7 ...; int = 100
// run: k global=48 local=48 args: int[100] = 0; int[48] = 7 ...; int = 100
kernel void k(global int *out, global int *ids, int n) {
    int lid = get_local_id(0), first = get_local_size(0) * get_group_id(0);
    ids[first + lid] = first + lid;
    for (long i = first + lid; i < n; i += get_global_size(0))
        out[i] += (int)(i + get_global_id(0));
}

// run: planes global=12,10 local=4,5 args: int[120] = 0
// run: planes global=12,10 local=5,4 args: int[240] = 0
// run: planes global=12,10 local=4,5 offset=0,3 args: int[120] = 0
kernel void planes(global int *out) {
    uint x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    uint y = get_local_id(1) + get_group_id(1) * get_enqueued_local_size(1);
    out[y * get_global_size(0) + x] = x * 100 + y;
}
