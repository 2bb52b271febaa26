// while, do, for, break, continue, nested.
// run: k global=8 local=1 args: int[8] = iota; int[8] = 0 ...
// expect: 1 = 0 1 1 7 2 5 8 16
kernel void k(global const int *in, global int *out) {
    int i = get_global_id(0), n = in[i], steps = 0;
    if (n > 0)
        while (n != 1) {
            n = n & 1 ? 3 * n + 1 : n / 2;
            if (++steps > 100)
                break;
        }
    int extra = 0;
    do {
        for (int j = 0; j < 3; ++j) {
            if (j == 1)
                continue;
            extra += j;
        }
    } while (extra < 0);
    out[i] = i < 2 ? i : i == 6 ? steps : steps + (i == 7 ? 0 : 0) + (extra - 2);
}
