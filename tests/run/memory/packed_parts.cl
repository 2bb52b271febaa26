// Structures that lie in packed ones, where nothing is aligned: read as a whole, handed over, given back, assigned.
// run: given_back global=24 local=8 args: ulong[24] = 0 ...; int[27] = 40000 ...
// run: handed_over global=20 args: long[20] = 0 ...; int[24] = iota
// run: from_memory global=9 args: long[9] = 0 ...; uchar[400] = iota
struct inner { short8 a; short b; short last; };
struct __attribute__((packed)) outer { struct inner in[2]; uchar4 four; uchar five[5]; ulong eight; struct inner odd; uchar8 end; };

static inline struct inner first(struct outer o) {
    return o.in[0];
}

static struct inner odd(struct outer o, int which) {
    return which & 1 ? o.odd : o.in[which & 1];
}

static long sum(struct inner i) {
    return i.a.s0 + i.a.s7 * 3 + i.b * 5 + i.last * 7;
}

__attribute__((noinline)) long called(struct inner i, int n) {
    return i.a.s3 * n + i.last;
}

kernel void given_back(global ulong *to, global const int *from) {
    local short own[8];
    int l = get_local_id(0), i = get_global_id(0);
    own[l] = (short)(from[i] + i * 777);
    char2 v = as_char2(first((struct outer){{{(short8)1, 1, own[l]}, {(short8)2, 1, 21}}, (uchar4)1, {1, 2, 3, 4, 5}, 5, {(short8)1, 2, 3}, (uchar8)4}).last);
    to[i] = i + 1 + convert_uchar8(v.s01010101).s5;
}

kernel void handed_over(global long *to, global const int *from) {
    int i = get_global_id(0);
    struct outer o = {{{(short8)(i), 2, from[i]}, {(short8)(from[i + 1]), i, 5}}, (uchar4)9, {1, 2, 3, 4, 5}, 6, {(short8)(i, 1, 2, 3, 4, 5, 6, 7), from[i + 2], from[i + 3]}, (uchar8)7};
    struct inner copy = o.odd;
    o.in[1] = o.odd;
    o.odd = first(o);
    struct outer all[3] = {o, o, o};
    all[i % 3].odd.last = 1000;
    struct inner chosen = i & 2 ? all[1].odd : o.in[1];
    to[i] = sum(copy) + sum(o.in[1]) * 11 + called(o.odd, i) * 13 + sum(odd(o, i)) * 17 + sum(all[i & 1].odd) * 19 + sum(chosen) * 23;
}

kernel void from_memory(global long *to, global const uchar *bytes) {
    int i = get_global_id(0);
    global const struct outer *o = (global const struct outer *)(bytes + i);
    struct inner whole = o->odd;
    to[i] = sum(whole) + called(o[1].in[1], 3) * 31 + sum(first(*o));
}
