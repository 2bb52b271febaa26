// Built-in functions of clang on the bits of integers. Of zero, those that count zeros give the
// width; clang leaves that open. `l` and `ll` mean 64 bits.

__op(clz) gentypei __clz(gentypei x);
__op(ctz) gentypei __ctz(gentypei x);
__op(popcnt) gentypei __popcount(gentypei x);
__op(rotl) gentypei __rotate(gentypei x, gentypei count);

int __builtin_popcount(uint x) { return (int)__popcount(x); }
int __builtin_clz(uint x) { return (int)__clz(x); }
int __builtin_ctz(uint x) { return (int)__ctz(x); }
int __builtin_parity(uint x) { return (int)(__popcount(x) & 1); }
int __builtin_ffs(int x) { return x == 0 ? 0 : (int)__ctz(x) + 1; }
int __builtin_clrsb(int x) { return (int)__clz(x < 0 ? ~x : x) - 1; }

int __builtin_popcountl(ulong x) { return (int)__popcount(x); }
int __builtin_clzl(ulong x) { return (int)__clz(x); }
int __builtin_ctzl(ulong x) { return (int)__ctz(x); }
int __builtin_parityl(ulong x) { return (int)(__popcount(x) & 1); }
int __builtin_ffsl(long x) { return x == 0 ? 0 : (int)__ctz(x) + 1; }
int __builtin_clrsbl(long x) { return (int)__clz(x < 0 ? ~x : x) - 1; }

int __builtin_popcountll(ulong x) { return (int)__popcount(x); }
int __builtin_clzll(ulong x) { return (int)__clz(x); }
int __builtin_ctzll(ulong x) { return (int)__ctz(x); }
int __builtin_parityll(ulong x) { return (int)(__popcount(x) & 1); }
int __builtin_ffsll(long x) { return x == 0 ? 0 : (int)__ctz(x) + 1; }
int __builtin_clrsbll(long x) { return (int)__clz(x < 0 ? ~x : x) - 1; }

int __builtin_clzs(ushort x) { return __clz(x); }
int __builtin_ctzs(ushort x) { return __ctz(x); }

__lanes(1) int __builtin_popcountg(ugentype x) { return (int)__popcount(x); }
__lanes(1) int __builtin_clzg(ugentype x) { return (int)__clz(x); }
__lanes(1) int __builtin_clzg(ugentype x, int of_zero) { return x == 0 ? of_zero : (int)__clz(x); }
__lanes(1) int __builtin_ctzg(ugentype x) { return (int)__ctz(x); }
__lanes(1) int __builtin_ctzg(ugentype x, int of_zero) { return x == 0 ? of_zero : (int)__ctz(x); }

// Neighbors change places: bits, pairs, halves of bytes; then bytes.
__elems(uchar) gentypei __reverse(gentypei x)
{
    x = (x >> 1 & (gentypei)0x55) | (x & (gentypei)0x55) << 1;
    x = (x >> 2 & (gentypei)0x33) | (x & (gentypei)0x33) << 2;
    return x >> 4 | x << 4;
}
__elems(ushort) gentypei __swap_bytes(gentypei x) { return x >> 8 | x << 8; }
__elems(uint) gentypei __swap_bytes(gentypei x)
{
    x = (x >> 8 & (gentypei)0x00ff00ffu) | (x & (gentypei)0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
__elems(ulong) gentypei __swap_bytes(gentypei x)
{
    x = (x >> 8 & (gentypei)0x00ff00ff00ff00fful) | (x & (gentypei)0x00ff00ff00ff00fful) << 8;
    x = (x >> 16 & (gentypei)0x0000ffff0000fffful) | (x & (gentypei)0x0000ffff0000fffful) << 16;
    return x >> 32 | x << 32;
}
__elems(ushort) gentypei __reverse(gentypei x)
{
    x = (x >> 1 & (gentypei)0x5555) | (x & (gentypei)0x5555) << 1;
    x = (x >> 2 & (gentypei)0x3333) | (x & (gentypei)0x3333) << 2;
    x = (x >> 4 & (gentypei)0x0f0f) | (x & (gentypei)0x0f0f) << 4;
    return __swap_bytes(x);
}
__elems(uint) gentypei __reverse(gentypei x)
{
    x = (x >> 1 & (gentypei)0x55555555u) | (x & (gentypei)0x55555555u) << 1;
    x = (x >> 2 & (gentypei)0x33333333u) | (x & (gentypei)0x33333333u) << 2;
    x = (x >> 4 & (gentypei)0x0f0f0f0fu) | (x & (gentypei)0x0f0f0f0fu) << 4;
    return __swap_bytes(x);
}
__elems(ulong) gentypei __reverse(gentypei x)
{
    x = (x >> 1 & (gentypei)0x5555555555555555ul) | (x & (gentypei)0x5555555555555555ul) << 1;
    x = (x >> 2 & (gentypei)0x3333333333333333ul) | (x & (gentypei)0x3333333333333333ul) << 2;
    x = (x >> 4 & (gentypei)0x0f0f0f0f0f0f0f0ful) | (x & (gentypei)0x0f0f0f0f0f0f0f0ful) << 4;
    return __swap_bytes(x);
}

uchar __builtin_bitreverse8(uchar x) { return __reverse(x); }
ushort __builtin_bitreverse16(ushort x) { return __reverse(x); }
uint __builtin_bitreverse32(uint x) { return __reverse(x); }
ulong __builtin_bitreverse64(ulong x) { return __reverse(x); }
ushort __builtin_bswap16(ushort x) { return __swap_bytes(x); }
uint __builtin_bswap32(uint x) { return __swap_bytes(x); }
ulong __builtin_bswap64(ulong x) { return __swap_bytes(x); }
uchar __builtin_rotateleft8(uchar x, uchar count) { return __rotate(x, count); }
uchar __builtin_rotateright8(uchar x, uchar count) { return __rotate(x, (uchar)-count); }
ushort __builtin_rotateleft16(ushort x, ushort count) { return __rotate(x, count); }
ushort __builtin_rotateright16(ushort x, ushort count) { return __rotate(x, (ushort)-count); }
uint __builtin_rotateleft32(uint x, uint count) { return __rotate(x, count); }
uint __builtin_rotateright32(uint x, uint count) { return __rotate(x, (uint)-count); }
ulong __builtin_rotateleft64(ulong x, ulong count) { return __rotate(x, count); }
ulong __builtin_rotateright64(ulong x, ulong count) { return __rotate(x, (ulong)-count); }

int __builtin_abs(int x) { return x < 0 ? -x : x; }
long __builtin_labs(long x) { return x < 0 ? -x : x; }
long __builtin_llabs(long x) { return x < 0 ? -x : x; }
