// Tables of bytes and words in all kinds of memory, from any address, by indices of any size and sign; where not all lanes look.
// run: k global=64 local=32 args: uchar[64] = 0 ... ; uchar[67] = iota ; ushort[65] = iota ; int = 1 ; int = 3
// run: k global=64 local=32 args: uchar[64] = 0 ... ; uchar[67] = iota ; ushort[65] = iota ; int = 2 ; int = 0
// run: k global=37 local=37 args: uchar[64] = 0 ... ; uchar[67] = iota ; ushort[65] = iota ; int = 3 ; int = 2
constant uchar table[13] = { 7, 1, 250, 3, 9, 128, 255, 0, 77, 5, 100, 42, 66 };

kernel void k(global uchar *out, global const uchar *bytes, global const ushort *words, int step, int more) {
    local uchar kept[64];
    int i = get_global_id(0), l = get_local_id(0);
    kept[l] = bytes[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = (i * 7 + more) & 31;
    uchar own[16];
    for (int j = 0; j < 16; ++j)
        own[j] = (uchar)(j * i);
    int r = bytes[at + more] + table[at % 13] * 3;
    r += words[at * 2] + kept[(l * 5) & 15] + own[at & 15];
    if (i % 3 == step)
        r += bytes[(at ^ 5) + 3] - words[63 - at];
    const global uchar *end = bytes + 66;
    r ^= end[-at - more] + (words + 64)[-(long)at];
    out[i] = (uchar)(r + words[bytes[at] & 63]);
}
