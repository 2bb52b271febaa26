// Unions and views of other types, whose members overlap: in words, bytes and vectors, in loops, joined after branches, partly filled.
// run: words global=37 args: ulong[37] = 0 ... ; uint[74] = iota
// run: bytes global=37 args: uint[37] = 0 ... ; uint[37] = iota
// run: vectors global=20 args: float[80] = 0 ... ; float[80] = iota
// run: mixed global=33 args: int[33] = 0 ... ; int[33] = iota ; int = 3
// run: pointers global=16 args: int[16] = 0 ... ; int[16] = iota
typedef union {
    ulong whole;
    struct { uint low, high; } halves;
    ushort quarters[4];
} word_t;

kernel void words(global ulong *to, global const uint *from) {
    size_t i = get_global_id(0);
    word_t a, b;
    a.halves.low = from[2 * i];
    a.halves.high = from[2 * i + 1] * 77;
    b.whole = a.whole * 3 + 1;
    for (int k = 0; k < 3; k++) {
        b.halves.high ^= b.halves.low + k;
        if (b.quarters[1] & 1)
            b.whole += a.quarters[k];
        a.quarters[3] = k;
    }
    to[i] = b.whole ^ (a.whole << 1);
}

kernel void bytes(global uint *to, global const uint *from) {
    size_t i = get_global_id(0);
    uint x = from[i] * 0x01020408;
    uchar *p = (uchar *)&x;
    uchar first = p[0];
    p[0] = p[3];
    p[3] = first + 1;
    ushort *q = (ushort *)&x;
    q[1] += q[0];
    to[i] = x;
}

typedef union {
    float4 all;
    float each[4];
    double2 wide;
    struct { float2 low, high; } halves;
} row_t;

kernel void vectors(global float *to, global const float *from) {
    size_t i = get_global_id(0);
    row_t r;
    r.all = vload4(i, from);
    r.each[2] += r.each[0] * 2;
    r.halves.low = r.halves.low.yx + 1;
    float4 s = r.all;
    r.wide.x += 0;
    vstore4(s + r.all, i, to);
}

kernel void mixed(global int *to, global const int *from, int n) {
    size_t i = get_global_id(0);
    union { int i; float f; uchar4 c; short s[2]; } u = { 0 };
    u.i = from[i];
    for (int k = 0; k < n; k++) {
        u.f += 1;
        if (from[i] % 3 == k)
            u.s[0] = k;
        else
            u.c.w ^= 1;
    }
    char4 c = *(char4 *)&u;
    to[i] = u.i + c.x * 5 + c.w;
}

kernel void pointers(global int *to, global int *from) {
    size_t i = get_global_id(0);
    union { global int *p; ulong u; uint w[2]; } v;
    v.p = from + i;
    v.u += 4;
    v.w[0] -= 4;
    to[i] = *v.p;
}
