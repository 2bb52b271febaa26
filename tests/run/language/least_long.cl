// The least long is written as the negation of a constant that no signed type holds.
// run: below global=4 args: float[4] = -1 2000 -7.5 -1e30; long[4] = 0 ...
// expect: 1 = -1 2000 -7 -9223372036854775808
// run: constants global=1 args: long[6] = 9 ...
// expect: 0 = -9223372036854775808 1 1 1 1 -1
#define LEAST (-9223372036854775808)

long saturated(float value) {
    if (value > 9223372036854775807) return 9223372036854775807;
    if (value < -9223372036854775808) return -9223372036854775808;
    return (long)value;
}

kernel void below(global const float *from, global long *to) {
    int i = get_global_id(0);
    to[i] = saturated(from[i]);
}

constant long least = LEAST;

kernel void constants(global long *to) {
    to[0] = least;
    to[1] = LEAST < 0;
    to[2] = -(9223372036854775808) < 0;
    to[3] = -9223372036854775808u > 0;
    to[4] = 9223372036854775808 > 0;
    to[5] = -9223372036854775808 >> 63;
}
