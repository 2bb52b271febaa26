// Groups of 8 × 8 and ragged ones: lanes are items of a row.
// run: k global=8,8 local=8,8 args: int[64] = 0 ... ; int = 8
// expect: 0 = 100 0 0 0 0 0 0 0 99 0 2 3 4 5 6 7 98 -1 0 6 8 10 12 14 97 -2 -1 0 12 15 18 21 96 -3 -2 -1 0 20 24 28 95 -4 -3 -2 -1 0 30 35 94 -5 -4 -3 -2 -1 0 42 93 94 95 96 97 98 99 100
// run: k global=11,5 local=4,3 args: int[55] = 0 ... ; int = 11
// expect: 0 = 100 0 0 0 0 0 0 0 0 0 0 99 0 2 3 4 5 6 7 8 9 10 98 -1 0 6 8 10 12 14 16 18 20 97 -2 -1 0 12 15 18 21 24 27 30 96 -3 -2 -1 0 20 24 28 32 36 40
kernel void k(global int *out, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    int r = x > y ? x * y : x - y;
    if (y == 7 || x == 0)
        r += 100;
    out[y * width + x] = r;
}
