// Smaller groups at the edge (2.0).
// options: -cl-std=CL2.0
// run: k global=7 local=3 args: int[7] = 0 ...; local 12
// expect: 0 = 302 301 300 302 301 300 100
kernel void k(global int *g, local int *t) {
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    g[get_global_id(0)] = n * 100 + t[n - 1 - l];
}
