// Bytes, words and larger numbers that follow each other, of which some are not asked for: what lies behind the end, lanes that
// a condition leaves out, all of them.
// run: k global=128 local=64 args: uchar[96] = iota ; uchar[97] = 255 ... ; ushort[96] = 3 ... ; ushort[97] = iota ; char[97] = iota ; int = 96 ; int = 1
// run: k global=128 local=64 args: uchar[96] = iota ; uchar[97] = 255 ... ; ushort[96] = 3 ... ; ushort[97] = iota ; char[97] = iota ; int = 91 ; int = 5
// run: k global=128 local=128 args: uchar[96] = iota ; uchar[97] = iota ; ushort[96] = 3 ... ; ushort[97] = 9 ... ; char[97] = -3 ... ; int = 37 ; int = 200
// run: larger global=128 local=64 args: uint[100] = iota ; ulong[100] = 7 ... ; ulong[101] = iota ; double[100] = 0.5 ... ; uchar[100] = iota ; int = 99 ; int = 1
// run: larger global=128 local=64 args: uint[100] = iota ; ulong[100] = 7 ... ; ulong[101] = iota ; double[100] = 0.5 ... ; uchar[100] = iota ; int = 83 ; int = 40
// run: pages global=64 local=32 args: uchar[8192] = iota ; uchar[64] = 0 ... ; ushort[4096] = iota ; int = 4070 ; int = 3
// run: pages global=64 local=32 args: uchar[8192] = iota ; uchar[64] = 0 ... ; ushort[4096] = iota ; int = 4088 ; int = 50
// run: pages global=64 local=32 args: uchar[8192] = iota ; uchar[64] = 0 ... ; ushort[4096] = iota ; int = 8160 ; int = 70
kernel void k(global uchar *to, global const uchar *from, global ushort *words, global const ushort *read, global const char *other,
              int n, int part) {
    int i = get_global_id(0);
    int found = 7;
    if (i < n && (i * i) % 256 >= part % 256 - 150) {
        found = from[i + 1] * 3 + other[i];
        if (found % part == 0)
            found += read[i + 1] - from[i];
        if ((found & 3) != part)
            to[i] = (uchar)found;
        if ((read[i] ^ i) % 5 < part)
            words[i] = (ushort)(words[i] + found);
    }
    if (i < n)
        to[i] ^= (uchar)(found >> 8);
}

kernel void larger(global uint *a, global ulong *b, global const ulong *from, global double *c, global const uchar *asked,
                   int n, int part) {
    int i = get_global_id(0);
    if (i < n) {
        if (asked[i] >= part)
            a[i] = (uint)(from[i + 1] * 3);
        if ((asked[i] & 7) < part)
            b[i] = a[i] + 1ul;
        if (asked[i] % 3 == 0)
            c[i] += (double)a[i];
    }
}

// Lanes up to the end of a page, and beyond.
kernel void pages(global const uchar *from, global uchar *to, global const ushort *words, int first, int part) {
    int i = get_global_id(0), at = first + i;
    if ((i * 37 & 63) < part && at < 8192) {
        int sum = from[at];
        if ((sum & 1) == 0)
            sum += words[(at >> 1) + (at & 0)] + from[at - 5];
        if (at / 2 + i < 4096 && (sum & 2))
            sum += words[at / 2 + i - (at - first) + (i & ~i)];
        to[i] = (uchar)sum;
    }
}
