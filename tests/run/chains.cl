// Long sums, differences, products and bitwise chains whose operands come at different times: rounds of hash functions, recurrences
// of loops, what loops do not change, constants that fold, wrapping, all widths.
// run: rounds global=67 args: uint[67] = 0 ... ; uint[134] = iota ; uint = 0x5a827999 ; int = 9
// run: vectors global=9 args: uint[144] = 0 ... ; uint[288] = iota ; uint = 0x6ed9eba1 ; int = 7
// run: narrow global=70 args: uchar[70] = 0 ... ; short[140] = iota ; int = 3
// run: longs global=35 args: ulong[35] = 0 ... ; long[70] = iota ; int = 11
#define TURNS(a, s) (((a) << (s)) | ((a) >> (32u - (s))))
#define ROUND(a, b, c, d, e, x, k) e = TURNS(a, 5u) + ((b & c) | (~b & d)) + e + k + x; b = TURNS(b, 30u)

kernel void rounds(global uint *to, global const uint *from, uint key, int n) {
    size_t i = get_global_id(0);
    uint a = 0x67452301u, b = from[2 * i], c = ~b, d = from[2 * i + 1] * key, e = 0xc3d2e1f0u, sum = 0, product = 1;
    for (int turn = 0; turn < n; turn++) {
        uint x = from[(i + turn) % 134], y = x * key + turn;
        ROUND(a, b, c, d, e, x, key + 17u);
        ROUND(e, a, b, c, d, y, 0x8f1bbcdcu);
        ROUND(d, e, a, b, c, x + y, key);
        sum = sum + a * 3u + x + key + 5u - y - 9u + turn;
        product = product * (x | 1u) * key * 7u * (y | 1u) * 3u;
    }
    to[i] = a - b - c - d - e - sum - 7u + (product ^ a ^ key ^ 0xff00ff00u ^ sum ^ 0x00ff00ffu);
}

kernel void vectors(global uint *to, global const uint *from, uint key, int n) {
    size_t i = get_global_id(0);
    uint16 a = vload16(2 * i, from), b = vload16(2 * i + 1, from), c = a ^ key, d = b - key, e = (uint16)(key);
    for (int turn = 0; turn < n; turn++) {
        ROUND(a, b, c, d, e, from[turn] + b, key);
        ROUND(e, a, b, c, d, key * turn, 0x8f1bbcdcu);
        c = (c & d & 0xfffffff0u & a) | (c & 0x0ffffffeu) | key | (d & 0xffu);
    }
    vstore16(0u - a - b - c - d - e, i, to);
}

kernel void narrow(global uchar *to, global const short *from, int n) {
    size_t i = get_global_id(0);
    short a = from[2 * i], b = from[2 * i + 1];
    char4 v = (char4)(a, b, n, 100);
    for (int turn = 0; turn < n; turn++) {
        a = a * b + a - turn - (short)30000 + b - (short)12345;
        v = v + (char4)(b, a, turn, 1) + (char)120 - (char4)(a) + (char)77;
    }
    to[i] = a + b + v.x + v.y + v.z + v.w;
}

kernel void longs(global ulong *to, global const long *from, int n) {
    size_t i = get_global_id(0);
    long a = from[2 * i], b = from[2 * i + 1], carried = 0;
    for (int turn = 0; turn < n; turn++) {
        long next = a * b + carried + 0x123456789abcdefL - a + turn - 0x7fffffffffffffffL + n;
        carried = carried + next + b + (a ^ carried ^ n ^ next) - (n + turn + b);
        a = b;
        b = next;
    }
    to[i] = a - b + carried;
}
