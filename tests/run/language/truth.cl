// true and false are of type bool: in an integer vector they are all ones, and nothing.
// run: k args: int[6] = 9 ...
// expect: 0 = -1 -1 1 0 1 7
#if true && !false
#define SEEN 7
#else
#define SEEN 8
#endif
kernel void k(global int *out) {
    int2 all = (int2)(true);
    out[0] = all.x;
    out[1] = all.y;
    out[2] = true + false;
    out[3] = false;
    out[4] = sizeof(true);
    out[5] = SEEN;
}
