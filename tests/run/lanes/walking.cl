// What each item has another of and all step alike in turns with barriers: pointers with several steps in a turn, signed numbers
// with two ways back, unsigned ones that wrap, and planes that are two loops deep.
// run: pointers global=16 local=8 args: int[256] = iota; int[16] = 0 ...; int = 5; int = 3
// expect: 1 = 385 406 427 448 469 490 511 532 633 654 675 696 717 738 759 780
// run: ways global=16 local=8 args: int[256] = iota; int[16] = 0 ...; int = 6; int = 1
// expect: 1 = 687 655 623 591 559 527 495 463 1103 1071 1039 1007 975 943 911 879
// run: wraps global=16 local=8 args: int[64] = iota; int[16] = 0 ...; int = 9
// expect: 1 = 350 323 378 351 327 382 358 413 360 333 309 361 337 392 368 423
// run: planes global=64 local=32 args: float[3000] = iota; float[64] = 0 ...; int = 4; int = 3
// run: pointers global=192 local=96 args: int[1000] = iota; int[192] = 0 ...; int = 50; int = 7
kernel void pointers(global const int *a, global int *out, int n, int step) {
    local int t[128];
    int l = get_local_id(0), last = get_local_size(0) - 1, sum = 0;
    global const int *p = a + get_global_id(0);
    for (int r = 0; r < n; ++r) {
        t[l] = *p;
        p += step;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[last - l] + 2 * *p;
        p += 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += 3 * p[-1];
        --p;
    }
    out[get_global_id(0)] = sum + (int)(p - a);
}

kernel void ways(global const int *a, global int *out, int n, int skip) {
    local int t[8];
    int l = get_local_id(0), i = get_group_id(0) * 16 + l * 2, sum = 0, last = 0;
    for (int r = 0; r < n; ++r) {
        t[l] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[7 - l] * (r + 1);
        if ((r & 1) == skip) {
            i += 5;
            barrier(CLK_LOCAL_MEM_FENCE);
            continue;
        }
        last = i;
        i += skip + 3;
        sum += a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum + i + last;
}

kernel void wraps(global const int *a, global int *out, int n) {
    local int t[8];
    uint l = get_local_id(0), i = 0xfffffff0u + l * 3 + get_group_id(0), sum = 0;
    for (int r = 0; r < n; ++r) {
        t[l] = a[i & 63] + (i >> 28);
        barrier(CLK_LOCAL_MEM_FENCE);
        i += 7;
        sum += t[7 - l] + (i >> 30);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum + (i & 255);
}

kernel void planes(global const float *a, global float *out, int n, int m) {
    local float t[32];
    int l = get_local_id(0);
    float sum = 0;
    global const float *p = a + l;
    for (int r = 0; r < n; ++r) {
        global const float *q = p + 1;
        for (int s = 0; s < m; ++s) {
            t[l] = *q;
            q += 32;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += t[31 - l] * (s + 1);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        p += 100;
        sum -= q[-1] + *p;
    }
    out[get_global_id(0)] = sum + (p - a);
}
