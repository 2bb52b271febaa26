// Vector operators: comparisons give -1, shifts mask their counts, ?: takes the top bit.
// run: k args: int4[1] = 1 -2 3 -4; int4[8] = 0 ...
// expect: 1 = 2 -1 4 -3  0 -1 0 -1  -1 0 -1 0  2 -4 6 -8  1 2 3 4  0 1 1 1  -1 0 -1 0  4 3 2 1
kernel void k(global const int4 *in, global int4 *out) {
    int4 v = in[0];
    out[0] = v + 1;
    out[1] = v < 0;
    out[2] = !(v < 0);
    out[3] = v << (int4)(33, 1, 33, 65);
    out[4] = (v < 0) ? -v : v;
    out[5] = (int4)(-1 / 2, 7 % 2, 3 / 2, 5 & 3);
    out[6] = (v > 0) && (v != 0);
    int4 r = (int4)(1, 2, 3, 4);
    out[7] = r.wzyx;
}
