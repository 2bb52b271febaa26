// Bitwise operations of two to four values in all kinds of trees, of scalars, lanes and vectors: choices and majorities of hash
// functions, with constants, values that are used twice, loads, and rotations written as shifts.
// run: trees global=67 args: uint[67] = 0 ... ; uint[201] = iota
// run: longs global=35 args: ulong[35] = 0 ... ; ulong[105] = iota
// run: vectors global=9 args: uint[144] = 0 ... ; uint[432] = iota
// run: bytes global=70 args: uchar[70] = 0 ... ; uchar[210] = iota
#define MIX(a, b, c, d) (((a) & (b)) | (~(a) & (c))) + (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c))) * 3 + ((a) ^ (b) ^ (c)) * 5 \
    + (((a) | ~(c)) ^ (b)) * 7 + (((b) ^ (c)) & (a) ^ (c)) * 11 + (~((a) & ~(b)) | (d)) * 13 + ((a) ^ (b) ^ (c) ^ (d)) * 17 \
    + (((a) & 0x5a) | ((b) & ~0x5a)) * 19 + (((a) | (b)) & ((a) | (c)) & ((d) | (c))) * 23 + (~(~(a) ^ ~(b)) & (a)) * 29

kernel void trees(global uint *to, global const uint *from) {
    size_t i = get_global_id(0);
    uint a = from[3 * i] * 0x9e3779b9u, b = from[3 * i + 1] * 0x85ebca6bu, c = from[3 * i + 2] * 0xc2b2ae35u;
    uint d = (a << 7 | a >> 25) ^ (b << 13) + (b >> 19) ^ (c >> 3 | c << 29);
    uint shared = a & b;
    to[i] = MIX(a, b, c, d) + (shared ^ c) + (shared | d) + (a << 5 | a >> 26) + (b << 5 | a >> 27);
}

kernel void longs(global ulong *to, global const ulong *from) {
    size_t i = get_global_id(0);
    ulong a = from[3 * i] * 0x9e3779b97f4a7c15UL, b = from[3 * i + 1] * 0x85ebca6bc2b2ae35UL, c = ~from[3 * i + 2] << 20;
    ulong d = (a << 41 | a >> 23) ^ (b >> 1 | b << 63);
    to[i] = MIX(a, b, c, d) ^ (d & from[i] | a);
}

kernel void vectors(global uint *to, global const uint *from) {
    size_t i = get_global_id(0);
    uint16 a = vload16(3 * i, from) * 0x9e3779b9u, b = vload16(3 * i + 1, from) * 0x85ebca6bu, c = vload16(3 * i + 2, from) << 9;
    uint16 d = (a << 30 | a >> 2) + (b << 5u | b >> 27u);
    vstore16(MIX(a, b, c, d), i, to);
}

kernel void bytes(global uchar *to, global const uchar *from) {
    size_t i = get_global_id(0);
    uchar a = from[3 * i] * 13, b = from[3 * i + 1] * 7, c = from[3 * i + 2] * 29;
    uchar d = (uchar)(a << 3) | a >> 5;
    uchar4 v = (uchar4)(a, b, c, d);
    v = v << (uchar)1 | v >> (uchar)7;
    to[i] = MIX(a, b, c, d) + (v.x ^ v.y ^ v.z ^ v.w);
}
