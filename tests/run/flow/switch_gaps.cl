// A table of cases with gaps between them, and values that are vectors on the way to what follows.
// run: k global=24 args: int[96] = 0 ... ; int[24] = iota ; int = 3
// run: k global=24 args: int[96] = 0 ... ; int[24] = iota ; int = 14
// run: far global=40 args: long[40] = 0 ... ; int[40] = iota
kernel void k(global int *to, global const int *from, int n) {
    int i = get_global_id(0);
    int4 v = 0, w = (int4)(1, 2, 3, 4);
    switch (from[i] + n & 15) {
    case 0:
        v = (int4)(i, n, 5, from[i]);
        break;
    case 3:
        w = v - i;
        break;
    case 5:
        v = w * from[i];
        // fallthrough
    case 6:
        v += n;
        break;
    case 9:
        v = w;
        w = (int4)(0);
        break;
    case 12:
        v = w.wzyx;
        break;
    }
    vstore4(v * 3 + w, i, to);
}

kernel void far(global long *to, global const int *from) {
    int i = get_global_id(0);
    long2 v = 0;
    for (int j = 0; j < 3; j++) {
        switch (from[i] % 20 + j) {
        case 1: v = v.yx + 1; break;
        case 4: v = (long2)(i, j); break;
        case 8: continue;
        case 12: v = (long2)(0); break;
        case 15: v *= 3; break;
        case 18: v.x ^= 0x1234567890; break;
        }
        v += j;
    }
    to[i] = v.x * 31 + v.y;
}
