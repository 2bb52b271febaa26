// Functions that stay calls are called for each item that is there, and know which one it is.
// run: k global=37 local=37 args: int[37] = iota; float[37] = 0.5 ... ; local 148; int = 30
// expect: 0 = 11 75 239 527 61 295 563 967 381 479 953 1527 155 1119 1343 1991 205 919 2237 2551 255 1103 2057 3831 299 1323 2447 3575 1219 1543 371 385 399 1427 421 435 73
// run: k global=24,2 local=12,1 args: int[48] = iota; float[48] = 0.5 ... ; local 48; int = 100
// expect: 0 = 11 75 239 527 61 295 563 967 381 479 953 1407 11 875 969 1517 61 655 1933 2077 111 839 1683 2517 11 10075 20239 30407 10211 10295 20563 30967 111 20779 20953 41407 11 10435 31449 31517 61 10655 21293 42757 111 10839 21683 32517
// run: large global=19 local=19 args: int[19] = iota; int = 3
// expect: 0 = 39 129 261 426 642 900 1191 1533 1917 2334 2802 3312 3855 4449 5085 5754 6474 7236 8031
// run: large global=32 local=16 args: int[32] = iota; int = 2
// expect: 0 = 13 52 119 208 331 482 655 862 1097 1354 1645 1964 2305 2680 3083 3508 3967 4454 4963 5506 6077 6670 7297 7952 8629 9340 10079 10840 11635 12458 13303 14182

__attribute__((noinline)) int place(int by) {
    return (int)(get_global_id(0) * 3 + get_local_id(0) + get_group_id(0) * by + get_global_id(1) * 1000);
}

__attribute__((noinline)) float4 spread(float x, global const int *data, private int *count) {
    *count += (int)get_local_id(0);
    return (float4)(x, x * 2, data[get_global_id(0)], *count);
}

kernel void k(global int *data, global const float *in, local int *shared, int n) {
    int i = get_global_id(0) + get_global_size(0) * get_global_id(1), l = get_local_id(0), count = i % 3;
    shared[l] = l;
    if (i % 5 == 4)
        shared[l] = place(l);
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = shared[(l + 1) % get_local_size(0)];
    if (i < n)
        for (int t = 0; t < i % 4; ++t)
            sum += place(t) + count;
    float4 all = spread(in[i], shared[l] >= 0 ? data : data, &count);
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = sum * 10 + count + (int)(all.x + all.y + all.w);
}

// Private objects too large for the stack: each item has its own.
kernel void large(global int *data, int n) {
    int table[3000], other[1200];
    int i = get_global_id(0);
    for (int t = 0; t < 3000; t += 7)
        table[t] = i * t;
    for (int t = i % 3; t < 1200; t += 13)
        other[t] = i + t;
    int sum = 0;
    for (int t = 0; t < n; ++t)
        sum += table[(i * 7 + t * 21) % 2996 / 7 * 7] + other[i % 3 + 13 * t];
    data[i] = sum;
}
