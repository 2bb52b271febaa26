// Structs by value, nested, in arrays, returned, with the host's layout.
// run: k global=2 local=1 args: int[2] = 3 4; int[16] = 0 ...
// expect: 1 = 3 6 9 32 4 4 0 0  4 8 12 32 4 4 0 0
typedef struct { char c; int i; } inner;
typedef struct { inner a; short s; float4 v; } outer;
inner make(int i) {
    inner r = { (char)i, i * 2 };
    return r;
}
int both(inner x) {
    x.i += x.c;
    return x.i;
}
kernel void k(global const int *in, global int *out) {
    int n = in[get_global_id(0)];
    global int *o = out + 8 * get_global_id(0);
    inner x = make(n), y = x;
    inner list[3] = { make(1), make(2) };
    list[2] = x;
    outer t = { .a = { 1, 2 }, .v = (float4)(1, 2, 3, 4) };
    t.a = list[2];
    o[0] = t.a.c;
    o[1] = y.i;
    o[2] = both(x) + (x.i - y.i);
    o[3] = sizeof(outer);
    o[4] = (int)((size_t)&t.a.i - (size_t)&t);
    o[5] = t.v.w;
    o[6] = t.s;
    o[7] = list[0].i - 2 * list[0].c;
}
