// Two items by turns that part where it is hardly ever so, and meet again: guards, matches in a loop, ways within ways.
// run: search global=24 local=8 args: int[64] = iota ; int[48] = 0 ... ; int = 24 ; int = 9
// run: search global=24 local=8 args: int[64] = iota ; int[48] = 0 ... ; int = 13 ; int = 0
// run: search global=22 local=11 args: int[64] = iota ; int[48] = 0 ... ; int = 21 ; int = 3
// run: search global=8 local=1 args: int[64] = iota ; int[48] = 0 ... ; int = 7 ; int = 5
kernel void search(global const int *in, global int *out, int n, int wanted) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int8 v = vload8(i & 3, in) * 77 + i, sum = v;
    for (int turn = 0; turn < 12; ++turn) {
        v = v * 1103515245 + 12345;
        sum += rotate(v, (int8)(7)) ^ turn;
        int8 key = (v >> 16) & 15;
        if (key.s0 == wanted || key.s1 == wanted || key.s2 == wanted || key.s3 == wanted || key.s4 == wanted
            || key.s5 == wanted || key.s6 == wanted || key.s7 == wanted) {
            int8 more = (v >> 20) & 15;
            if (more.s1 != wanted)
                atomic_inc(&out[24]);
            if (more.s0 == wanted || key.s0 == wanted)
                sum.s3 += more.s5 * turn;
            else if (more.s2 != key.s2)
                sum = sum.s76543210 - turn;
            atomic_add(&out[25 + (turn & 7)], more.s4);
        }
    }
    out[i] = sum.s0 + sum.s1 * 3 + sum.s2 * 5 + sum.s3 * 7 + sum.s4 * 11 + sum.s5 * 13 + sum.s6 * 17 + sum.s7 * 19;
}

// What comes of parted ways: values of each, one that is the same for both before, and a loop in one of them.
// run: ways global=24 local=8 args: float[400] = 0.5 1 2 ... ; int[24] = 1 2 3 3 5 5 ... ; int[24] = 1 1 3 2 5 ... ; float[384] = 0 ... ; int = 4
// run: ways global=21 local=7 args: float[400] = 0.5 1 2 ... ; int[24] = 1 2 3 4 5 6 ... ; int[24] = 3 2 1 ... ; float[384] = 0 ... ; int = 0
// run: ways global=24 local=8 args: float[400] = 0.5 1 2 ... ; int[24] = 3 ... ; int[24] = 3 ... ; float[384] = 0 ... ; int = 3
kernel void ways(global const float *in, global const int *a, global const int *b, global float *out, int n) {
    int i = get_global_id(0), here = n;
    float16 x = vload16(i, in);
    float scale = (float)n;
    if (a[i] == b[i]) {
        for (int turn = 0; turn < a[i]; ++turn) {
            x = x * 0.5f + scale;
            if (x.s0 == x.s1)
                here += turn;
        }
        scale = 3.0f;
        here = here * 2 + 1;
    } else if (a[i] != here) {
        here = 5;
    }
    for (int turn = 0; turn < n; ++turn)
        x = mad(x, scale, (float16)(here + turn));
    if (i > 17) {
        vstore16(x + 1.0f, i, out);
        return;
    }
    vstore16(x, i, out);
}

// Items that wait for each other where they part are done one by one.
// run: locked global=16 local=8 args: int[4] = 0 ... ; int[16] = 1 2 ... ; int[16] = 1 3 1 2 ...
kernel void locked(global int *counts, global const int *a, global const int *b) {
    int i = get_global_id(0);
    int4 sum = (int4)(i);
    if (a[i] == b[i]) {
        bool is_done = false;
        while (!is_done) {
            if (atomic_cmpxchg(&counts[0], 0, 1) == 0) {
                counts[1] += sum.x;
                atomic_xchg(&counts[0], 0);
                is_done = true;
            }
        }
    }
    atomic_add(&counts[2], sum.y);
}
