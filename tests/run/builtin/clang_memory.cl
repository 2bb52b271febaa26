// Bytes from here to there, across address spaces, with sizes that are known and that are not.
// run: k global=1 args: uchar[40] = iota; uchar[40] = 0; uint[8] = 0; int = 5
// expect: 0 = 0 1 0 1 2 3 4 5 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
// expect: 1 = 10 11 12 13 14 15 16 17 18 19 20 30 31 32 33 34 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 0 0 9
// expect: 2 = 0x3f800000 0x40000000 3 7 0x07070707 11 0 1
struct pair { int a; float b; };
kernel void k(global uchar *in, global uchar *out, global uint *words, int n)
{
    __builtin_memcpy(out, in + 10, 11);
    __builtin_memcpy_inline(out + 11, in + 30, n);
    global uchar *end = __builtin_memset(out + 16, 7, n + 16);
    *(end + 23) = 9;
    float f = 1.0f;
    uint bits;
    __builtin_memcpy(&bits, &f, sizeof(f));
    words[0] = bits;
    struct pair p = { 3, 2.0f }, q;
    __builtin_memcpy(&q, &p, sizeof(p));
    __builtin_memcpy(&words[1], &q.b, 4);
    words[2] = q.a;
    local int shared[4];
    shared[1] = 7;
    int mine[4];
    __builtin_memcpy(mine, shared, n * 2);
    words[3] = mine[1];
    __builtin_memset(mine, 7, sizeof(mine));
    words[4] = mine[2];
    uchar4 v = __builtin_nontemporal_load((global uchar4 *)(in + 8));
    words[5] = v.w;
    __builtin_nontemporal_store((uint)(v.x - 8), words + 6);
    words[7] = __builtin_assume_aligned(words, 4) == words;
    __builtin_memmove(in + 2, in, 6);
}
