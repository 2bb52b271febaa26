// Rotations by whole bytes, which change places, by other counts, and shifts by one, which are sums; each width.
// options: -cl-std=CL2.0
// run: k global=37 local=37 args: int[37] = iota ; int[37] = iota ; int[37] = 0 ...
// run: k global=48 local=16 args: int[48] = iota ; int[48] = iota ; int[48] = 0 ...
kernel void k(global const uint *a, global const uint *b, global uint *out) {
    int i = get_global_id(0);
    uint x = a[i] * 0x9e3779b9u + 77, y = b[i] * 0x85ebca6bu + 5;
    uint sum = rotate(x, 8u) + rotate(y, 16u) * 3 + rotate(x + y, 24u) * 5 + rotate(y, 32u) * 7 + rotate(x, 7u) * 11;
    ulong wide = ((ulong)x << 32 | y) * 3;
    for (int by = 0; by < 64; by += 8)
        sum = sum * 13 + (uint)(rotate(wide, (ulong)by) >> 20);
    ulong last = rotate(wide, 56UL) ^ rotate(wide, 8UL) ^ rotate(wide, 40UL) + rotate(wide, 33UL);
    sum += (uint)last + (uint)(last >> 32) * 17 + (uint)((wide << 1) >> 31) * 3;
    ushort2 shorts = rotate(as_ushort2(x), (ushort2)(8)) + rotate(as_ushort2(y), (ushort2)(3)) + (as_ushort2(x) << (ushort2)(1));
    uchar4 bytes = rotate(as_uchar4(x), (uchar4)(8)) + rotate(as_uchar4(y), (uchar4)(5)) + (as_uchar4(x) << (uchar4)(1));
    ulong3 three = rotate((ulong3)(wide, x, y), (ulong3)(16, 24, 48));
    out[i] = sum + as_uint(shorts) * 19 + as_uint(bytes) * 23 + (uint)((three.x ^ three.y + three.z) >> 11) + (x << 1) * 29;
}

// run: vectors global=5 local=5 args: int[80] = iota ; int[5] = 0 ...
kernel void vectors(global const uint16 *a, global uint *out) {
    int i = get_global_id(0);
    uint16 x = a[i] * 0x9e3779b9u, y = rotate(x, (uint16)(16)) ^ (x << 1);
    ulong8 z = rotate(as_ulong8(y), (ulong8)(24)) + (as_ulong8(x) << 1UL);
    uint8 s = as_uint16(z).lo * 3 + as_uint16(z).hi;
    uint4 t = s.lo * 5 + s.hi;
    out[i] = t.x + t.y * 7 + t.z * 11 + t.w * 13;
}
