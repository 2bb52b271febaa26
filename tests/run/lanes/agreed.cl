// Branches and loops that all items agree on, inside of those that they do not; loops of no, one and many turns.
// run: k global=37 local=37 args: int[37] = 0 ... ; int = 3; int = 4
// expect: 0 = 0 7 3 1 28 5 7 49 8 9 70 9 12 91 15 13 112 17 19 133 20 21 154 21 24 175 27 25 196 29 31 217 32 33 238 33 36
// run: k global=37 local=37 args: int[37] = 0 ... ; int = 1; int = 0
// expect: 0 = 0 0 2 4 3 5 6 6 8 9 9 12 12 12 14 16 15 17 18 18 20 21 21 24 24 24 26 28 27 29 30 30 32 33 33 36 36
// run: k global=64 local=32 args: int[64] = 0 ... ; int = 9; int = 1
// expect: 0 = 0 1 3 1 4 5 7 7 8 9 10 9 12 13 15 13 16 17 19 19 20 21 22 21 24 25 27 25 28 29 31 31 32 33 34 33 36 37 39 37 40 41 43 43 44 45 46 45 48 49 51 49 52 53 55 55 56 57 58 57 60 61 63 61
kernel void k(global int *out, int n, int m) {
    int i = get_global_id(0), r = i;
    if (i % 3 == 1) {
        if (n > 2)
            for (int j = 0; j < m; ++j)
                r += j * i;
        else
            r -= 1;
    } else {
        for (int j = 0; j < i % 4; ++j) {
            if (n > 2)
                r ^= j;
            for (int k = 0; k < j; ++k)
                r += k;
        }
    }
    out[i] = r;
}
