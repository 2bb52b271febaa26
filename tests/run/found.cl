// Lanes of vectors that are compared one by one: whether any is found, all are, or some; with what others do in between.
// run: found global=65 args: uint[65] = 0 ... ; uint[1040] = iota ; uint = 37
// run: inside global=33 args: int[33] = 0 ... ; float[264] = iota ; float = 20.0 ; float = 180.0
// run: some global=33 args: int[33] = 0 ... ; int[264] = iota ; int = 50
kernel void found(global uint *to, global const uint *from, uint wanted) {
    size_t i = get_global_id(0);
    uint16 a = vload16(i, from) & 0xffu, b = vload16(64 - i, from) & 0xffu, c = a * 5u ^ b;
    if (a.s0 == wanted || a.s1 == wanted || a.s2 == wanted || a.s3 == wanted || a.s4 == wanted || a.s5 == wanted
        || a.s6 == wanted || a.s7 == wanted || a.s8 == wanted || a.s9 == wanted || a.sa == wanted || a.sb == wanted
        || a.sc == wanted || a.sd == wanted || a.se == wanted || a.sf == wanted) {
        to[i] += 1;
        if (a.s5 == wanted && b.s5 > wanted) to[i] += 2;
        if (wanted == a.sf) to[i] += 4;
    }
    if ((a.s0 == b.s0) || (a.s1 == b.s1) || (a.s2 == b.s2) || (a.s3 == b.s3) || (a.s4 == b.s4) || (a.s5 == b.s5)
        || (a.s6 == b.s6) || (a.s7 == b.s7) || (a.s8 == b.s8) || (a.s9 == b.s9) || (a.sa == b.sa) || (a.sb == b.sb)
        || (a.sc == b.sc) || (a.sd == b.sd) || (a.se == b.se) || (a.sf == b.sf))
        to[i] += 8;
    if (c.s0 == wanted) to[i] += 16;
    if (c.s1 == wanted) to[i] += 32;
    if (c.s2 == wanted) to[i] += 64;
    if (c.s3 == wanted) to[i] += 128;
    if (c.s4 == wanted) to[i] += 256;
}

kernel void inside(global int *to, global const float *from, float low, float high) {
    size_t i = get_global_id(0);
    float8 v = vload8(i, from);
    v.s3 = i == 7 ? NAN : v.s3;
    if (v.s0 > low && v.s1 > low && v.s2 > low && v.s3 > low && v.s4 > low && v.s5 > low && v.s6 > low && v.s7 > low)
        to[i] = 1;
    if (!(v.s0 < high) || !(v.s1 < high) || !(v.s2 < high) || !(v.s3 < high) || !(v.s4 < high) || !(v.s5 < high)
        || !(v.s6 < high) || !(v.s7 < high))
        to[i] += 2;
    to[i] += 4 * ((v.s0 > low) + (v.s1 > low) + (v.s2 > low) + (v.s3 > low));
}

kernel void some(global int *to, global const int *from, int limit) {
    size_t i = get_global_id(0);
    int8 v = vload8(i, from);
    int3 w = v.s012;
    for (int turn = 0; turn < 5; turn++) {
        if (v.s0 < limit || v.s2 < limit || v.s4 < limit || v.s6 < limit) to[i] += 1;
        if (v.s1 < limit) {
            to[i] += 2;
            if (v.s3 < limit) to[i] += 4;
        }
        if (w.x < limit && w.y < limit && w.z < limit && (w + turn).x < limit) to[i] += 8;
        v += 3 * turn;
    }
}
