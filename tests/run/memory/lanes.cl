// Writing one lane leaves its neighbours alone, in memory and in variables.
// run: k global=4 local=1 args: int4[1] = 1 2 3 4; int[4] = 0 ...
// expect: 0 = 10 20 30 40
// expect: 1 = 5 6 5 6
kernel void k(global int4 *g, global int *out) {
    int i = get_global_id(0);
    if (i == 0) g->x *= 10;
    if (i == 1) g->y *= 10;
    if (i == 2) g->z *= 10;
    if (i == 3) g->w *= 10;
    int4 v = (int4)(1, 2, 3, 4);
    v.xz = v.zx;
    v.s3 += v.even.s1;
    v.hi.x = 6;
    out[i] = i & 1 ? v.z : v.w;
}
