// Work-group functions in groups that lanes do not fill, whose order of items tells.
// options: -cl-std=CL2.0
// run: collect global=37 local=37 args: float[37] = 0.1 1e7 3 -1e7 0.25 7 1e-3 ... ; float[37] = 0 ... ; int[37] = 0 ...
// expect: 2 = 1107 1107 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106 1106
// run: collect global=12,4 local=6,4 args: float[48] = 0.1 1e7 3 -1e7 0.25 7 1e-3 ... ; float[48] = 0 ... ; int[48] = 0 ...
// expect: 2 = 1107 1107 1106 1106 1106 1106 1138 1128 1128 1128 1124 1124 1106 1106 1106 1106 1106 1106 1124 1124 1124 1124 1124 1124 1106 1106 1106 1106 1106 1106 1124 1124 1124 1124 1124 1124 1106 1106 1106 1106 1106 1106 1124 1124 1124 1124 1124 1124
kernel void collect(global const float *in, global float *sums, global int *counts) {
    int i = get_global_id(0) + get_global_size(0) * get_global_id(1), n = i % 5;
    float x = in[i] + i;
    float all = work_group_reduce_add(x), most = work_group_reduce_max(x), before = work_group_scan_exclusive_add(x);
    int least = 0;
    for (int k = 0; k < 3; ++k) {
        least += work_group_scan_inclusive_min(n + k) + (get_work_dim() == 1 ? work_group_broadcast(i, k) : work_group_broadcast(i, k, 0));
        n = (n * 7 + k) % 11;
    }
    sums[i] = all + most * 0.5f + before;
    counts[i] = least + work_group_any(n == 4) * 100 + work_group_all(n < 11) * 1000;
}
