// Built-in functions of clang on bits.
// run: k args: int[24] = 0; ulong[8] = 0
// expect: 0 = 3 3 2 16 4 0 1 0 9 0 26 26 13 4 7 5 63 0 33 -1 8 64 5 12
// expect: 1 = 0xd0 0xa2c4 0x12345678 0x0807060504030201 0x48 0x80000000 0x8000000000000000 0x21
kernel void k(global int *out, global ulong *wide)
{
    int n = 0;
    out[n++] = __builtin_popcount(7);
    out[n++] = __builtin_popcountl(7L << 40);
    out[n++] = __builtin_popcountll(0x8000000000000001UL);
    out[n++] = __builtin_clz(0xffff);
    out[n++] = __builtin_ctz(0x30);
    out[n++] = __builtin_ffs(0);
    out[n++] = __builtin_ffs(1);
    out[n++] = __builtin_parity(3);
    out[n++] = __builtin_ffsl(256);
    out[n++] = __builtin_parityll(0x8000000000000001UL);
    out[n++] = __builtin_clrsb(31);
    out[n++] = __builtin_clrsb(-32);
    out[n++] = __builtin_clzs(4);
    out[n++] = __builtin_ctzs(0x30);
    out[n++] = __builtin_abs(-7);
    out[n++] = __builtin_clzg((uchar)7);
    out[n++] = __builtin_clzl(1);
    out[n++] = __builtin_ctzl(1);
    out[n++] = __builtin_ctzg(0UL, 33);
    out[n++] = __builtin_clzg(0u, -1);
    out[n++] = __builtin_popcountg((uchar)255);
    out[n++] = __builtin_clzll(0);
    out[n++] = (int)__builtin_labs(-5);
    out[n++] = __builtin_rotateleft8(0xc0, 4);
    wide[0] = __builtin_bitreverse8(0xb);
    wide[1] = __builtin_bitreverse16(0x2345);
    wide[2] = __builtin_bswap32(0x78563412);
    wide[3] = __builtin_bswap64(0x0102030405060708UL);
    wide[4] = __builtin_bswap16(0x4800);
    wide[5] = __builtin_bitreverse32(1);
    wide[6] = __builtin_bitreverse64(1);
    wide[7] = __builtin_rotateright8(0x12, 4);
}
