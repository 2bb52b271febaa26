// A switch with cases that fall through, one of them into a loop, and returns out of all of it.
// run: k global=37 local=37 args: int[37] = 0 ...
// expect: 0 = -1 -1 -2 -3 17 12 9 20 20 5 -10 128 19 9 41 41 12 -17 135 26 9 62 62 19 -24 142 33 9 83 83 26 -31 149 40 9 104 104
// run: k global=48 local=16 args: int[48] = 0 ...
// expect: 0 = -1 -1 -2 -3 17 12 9 20 20 5 -10 128 19 9 41 41 12 -17 135 26 9 62 62 19 -24 142 33 9 83 83 26 -31 149 40 9 104 104 33 -38 156 47 9 125 125 40 -45 163 54
int of(int i) {
    int r = i;
    switch (i % 7) {
    case 0: r += 1;
    case 1: r *= 3;
    case 2: r -= 4; return r;
    case 3: return -r;
    case 4:
        for (int j = 0; j < i; ++j) {
            if (j == 5) {
                r += 100;
                break;
            }
            r += j;
        }
    case 5: return r + 7;
    default: return 9;
    }
}
kernel void k(global int *out) { out[get_global_id(0)] = of(get_global_id(0)); }
