// Truth values, short vectors of three and halves of decisions alive across barriers.
// run: k global=8 local=4 args: int[8] = iota; local 16
// expect: 0 = 13 2 11 0 17 6 15 4
kernel void k(global int *g, local int *t) {
    int l = get_local_id(0), v = g[get_global_id(0)];
    bool even = (v & 1) == 0;
    int big = v > t[l] * 0 + 2;
    short3 s = (short3)(v, v + 1, v + 2);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = t[3 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (even)
        other += 10;
    if (big && !even)
        other += s.z - s.x - 2;
    g[get_global_id(0)] = other;
}
