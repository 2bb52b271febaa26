// Private arrays that are written and read as vectors, in code that is there twice: once for indices that are inside.
// run: ints global=64 local=64 args: int[64] = 0 ... ; int[64] = iota ; int = 64 ; uint = 1
// run: ints global=40 local=40 args: int[64] = 0 ... ; int[64] = iota ; int = 30 ; uint = 6
// run: shorts global=37 args: short[37] = 0 ... ; short[37] = iota ; int = 37 ; uint = 3
// run: guarded global=64 args: int[64] = 0 ... ; int[64] = iota ; int = 64 ; uint = 5
// run: guarded global=64 args: int[64] = 0 ... ; int[64] = iota ; int = 50 ; uint = 2
kernel void ints(global int *to, global const int *from, int n, uint at) {
    int i = get_global_id(0), t[8];
    int x = clamp(i + 1, 0, n - 1);
    vstore4((int4)(from[x], 2, 20, i), 0, t);
    vstore4((int4)(7, from[x] * 3, i, 1), 1, t);
    int4 back = vload4(at & 1, t);
    to[i] = t[at & 7] * 1000 + dot(convert_float4(back), (float4)(1, 2, 3, 4));
}

kernel void shorts(global short *to, global const short *from, int n, uint at) {
    int i = get_global_id(0);
    int x = i - 2 < 0 ? 0 : i - 2;
    short2 t[4];
    for (int j = 0; j < 4; j++)
        t[j] = (short2)(from[min(x + j, n - 1)], j);
    short *one = (short *)t;
    to[i] = one[at & 7] + t[(at + 1) & 3].y * 100;
}

kernel void guarded(global int *to, global const int *from, int n, uint at) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int4 t[2] = {(int4)(i, 1, from[i], 3), (int4)(from[i] * 2, 5, 6, i)};
    to[i] = ((int *)t)[at & 7];
}
