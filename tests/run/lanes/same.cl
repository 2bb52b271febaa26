// Regions in which all items do the same are run by one of them; work-group functions count everyone.
// options: -cl-std=CL2.0
// run: counted global=64 local=32 args: int[64] = 0 ...; int = 5
// expect: 0 = 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160 160
// run: twice global=8 local=4 args: int[8] = 0 ...; int = 5
// expect: 0 = 14 15 16 17 14 15 16 17
// run: twice global=8 local=4 args: int[8] = 0 ...; int = 3
// expect: 0 = 4 5 6 7 4 5 6 7
kernel void counted(global int *out, int n) {
    out[get_global_id(0)] = work_group_reduce_add(n);
}
kernel void twice(global int *out, int n) {
    local int tile[4];
    int sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n > 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = 2 * n;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + 4 + tile[get_local_id(0)];
}
