// Majorities of three bits, written in each way, in chains as in hash functions; each must be the one of counted bits.
// options: -cl-std=CL2.0
// run: k global=37 local=37 args: int[37] = iota ; int[37] = 9 ... ; int[37] = 0 ... ; int = 1516900336
// expect: 1 = 0 ...
// run: k global=48 local=16 args: int[48] = iota ; int[48] = 9 ... ; int[48] = 0 ... ; int = -7
// expect: 1 = 0 ...
uint counted(uint x, uint y, uint z) {
    uint made = 0;
    for (int bit = 0; bit < 32; bit++)
        made |= (uint)((x >> bit & 1) + (y >> bit & 1) + (z >> bit & 1) > 1) << bit;
    return made;
}

#define TWO(x, y, z) (((x) & (y)) | ((z) & ((x) ^ (y))))
#define EITHER(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define APART(x, y, z) (((x) & (y)) ^ (((x) ^ (y)) & (z)))
#define THREE(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define ANY(x, y, z) (((x) & (y)) | ((x) & (z)) | ((y) & (z)))
#define SELECTED(x, y, z) bitselect(x, y, (x) ^ (z))
// Not one: a bit is lost where all three are set.
#define NONE(x, y, z) (((x) & (y)) ^ ((z) & ((x) | (y))))

#define STEP(F, a, b, c) d = F(a, b, c) + a * 3, e = counted(a, b, c) + a * 3, wrong += d != e, c = b, b = a, a = d ^ n
#define CHAIN(F) for (int turn = 0; turn < 2; turn++) { STEP(F, a, b, c); STEP(F, a, b, c); STEP(F, a, b, c); }

kernel void k(global const uint *in, global uint *out, global uint *sums, uint n) {
    int i = get_global_id(0);
    uint a = in[i] * 0x9e3779b9u + n, b = in[i] * 0x85ebca6bu + 5, c = a * b + 7, d, e, wrong = 0;
    CHAIN(TWO)
    CHAIN(EITHER)
    CHAIN(APART)
    CHAIN(THREE)
    CHAIN(ANY)
    CHAIN(SELECTED)
    // One of another, a shared difference, the same value twice, constants.
    uint nested = TWO(TWO(a, b, c), TWO(b, c, n), TWO(c, n, a)), differing = a ^ b;
    wrong += nested != counted(counted(a, b, c), counted(b, c, n), counted(c, n, a));
    wrong += SELECTED(a, b & c, ANY(a, b, n)) != counted(a, b & c, counted(a, b, n));
    uint inner = a ^ ((a ^ (b & c)) & (a ^ n)), outer = a ^ (inner & (a ^ c));
    wrong += (TWO(a, b, n) ^ differing) != (counted(a, b, n) ^ a ^ b);
    wrong += TWO(a, a, c) != a || TWO(a, b, a) != a || THREE(a, b, b) != b;
    wrong += TWO(a, 0xff00ff00, c) != counted(a, 0xff00ff00, c) || THREE(a, ~0u, c) != (a | c);
    sums[i] = a + b * 3 + c * 5 + outer * 7 + NONE(a, b, c) * 11 + NONE(b, c, n) * 13;
    out[i] = wrong;
}

// run: wide global=5 local=5 args: long[40] = iota ; long[5] = 0 ...
// run: wide global=16 local=16 args: long[128] = iota ; long[16] = 0 ...
kernel void wide(global const ulong8 *in, global ulong *out) {
    int i = get_global_id(0);
    ulong8 a = in[i] * 0x9e3779b97f4a7c15UL, b = a * 5 + 77, c = a ^ b >> 3, d;
    for (int turn = 0; turn < 4; turn++) {
        d = TWO(a, b, c) + a, c = b, b = a, a = d;
        d = EITHER(a, b, c) + a, c = b, b = a, a = d;
        d = THREE(a, b, c) + a, c = b, b = a, a = d;
    }
    ushort16 shorts = as_ushort16(a.lo), more = as_ushort16(b.lo), last = as_ushort16(c.lo);
    ushort16 two = TWO(shorts, more, last), next = TWO(two, shorts, more);
    ulong4 all = as_ulong4(two) * 3 + as_ulong4(next) + a.lo * b.hi + c.lo;
    out[i] = all.x + all.y * 7 + all.z * 11 + all.w * 13;
}
