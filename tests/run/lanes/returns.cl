// Items that have returned before a barrier take no part behind it: the others of their row do.
// options: -cl-std=CL2.0
// run: after global=64 local=64 args: int[64] = -1 ... ; int[64] = iota; local 256; int = 40
// expect: 0 = 0 4 21 -1 118 -1 24 71 81 258 -1 44 121 131 398 30 64 -1 181 538 40 84 221 231 -1 50 104 271 281 818 60 -1 321 331 958 70 144 371 -1 1098 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
// run: after global=37 local=37 args: int[37] = -1 ... ; int[37] = iota; local 256; int = 37
// expect: 0 = 0 4 21 -1 118 -1 24 71 81 258 -1 44 121 131 398 30 64 -1 181 538 40 84 221 231 -1 50 104 271 281 818 60 -1 321 331 958 70 144
// run: after global=40,2 local=20,2 args: int[80] = -1 ... ; int[80] = iota; local 256; int = 5
// expect: 0 = 0 4 21 -1 118 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 20 84 281 291 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
kernel void after(global int *out, global const int *in, local int *shared, int n) {
    int i = get_global_id(0) + get_global_size(0) * get_global_id(1), l = get_local_linear_id();
    shared[l] = in[i];
    if (i % 7 == 3 || l >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = shared[l];
    for (int k = 0; k < l % 5; ++k) {
        if (shared[k] % 4 == 2)
            continue;
        sum = sum * 3 + shared[k];
    }
    if (sum % 11 == 5)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[l] + l;
}

// The rest of a row, with everything that must not be touched by items that are not there.
// run: tail global=15,3 local=5,3 args: int[45] = iota; local 64; float[45] = 0 ...
// expect: 0 = 4 7 11 15 15 7 10 14 18 18 27 13 17 21 21 30 16 20 24 24 33 36 23 27 27 36 39 43 30 30 39 42 46 33 34 42 45 49 53 54 45 48 52 56 57
// expect: 2 = 0 9 10.5 9 0 16.83333396911621 1 0 15 14.5 13 0 4.5 5 0 18 14 0 7.666666507720947 8.5 9 0 16.83333396911621 1 0 16.33333396911621 16.5 13 0 2.5 5 0 18 14 0 9 10.5 9 0 22.83333396911621 1 0 16.33333396911621 16.5 13
// run: tail global=21,2 local=7,1 args: int[42] = iota; local 64; float[42] = 0 ...
// expect: 0 = 4 7 11 15 19 6 6 15 18 22 26 13 17 17 26 29 16 20 24 28 28 37 23 27 31 35 39 39 31 34 38 42 46 33 50 42 45 49 53 40 44 44
// expect: 2 = 0 9 10.5 9 0 15.5 1 0 16.33333396911621 16.5 13 0 4.5 5 0 18 14 0 9 10.5 9 0 16.83333396911621 1 0 16.33333396911621 16.5 13 0 4.5 5 0 18 14 0 9 10.5 9 0 16.83333396911621 1 0
// run: tail global=3,3,2 local=3,3,2 args: int[18] = iota; local 128; float[18] = 0 ...
// expect: 0 = 4 7 11 16 19 6 11 14 18 23 26 13 18 21 25 30 16 17
// expect: 2 = 0 9 10.5 9 0 16.83333396911621 1 0 16.33333396911621 16.5 13 0 4.5 5 0 18 14 0
kernel void tail(global int *data, local int *shared, global float *out) {
    int at = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    int l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1) * get_local_size(2);
    shared[l] = data[at] * 3 % 17;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < shared[l] % 4; ++k)
        sum += shared[(l + k) % n] / (float)(1 + k);
    atomic_add(&data[at], shared[(l + 1) % n]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[at] = sum;
    if (get_local_id(0) == 0)
        atomic_inc(&data[at]);
}
