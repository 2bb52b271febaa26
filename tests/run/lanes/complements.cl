// Bits of one value that are not in another, which one instruction takes: of registers, memory and constants, each width.
// options: -cl-std=CL2.0
// run: k global=37 local=37 args: int[37] = iota ; int[37] = iota ; int[37] = iota ; int[37] = 0 ... ; int = 1516900336
// run: k global=48 local=16 args: int[48] = iota ; int[48] = iota ; int[48] = iota ; int[48] = 0 ... ; int = -7
kernel void k(global const uint *a, global const uint *b, global const uint *c, global uint *out, int n) {
    int i = get_global_id(0);
    uint x = a[i] * 0x9e3779b9u, y = b[i] * 0x85ebca6bu;
    uint sum = (~x & y) + 3 * (x & ~(c[i])) + 5 * (~n & x) + 7 * (y & ~n) + 11 * (~x & 0xff00ff);
    // One that is used by others, too.
    uint other = ~(x + y);
    sum += (other & x) * 13 + other;
    ulong wide = ((ulong)x << 32 | y) * 3, limit = (ulong)y * y;
    sum += (uint)((wide & ~limit) >> 17) + (uint)((~wide & 0x123456789abcdefUL) >> 9);
    ushort2 shorts = as_ushort2(x) & ~as_ushort2(y);
    uchar4 bytes = ~as_uchar4(x) & as_uchar4(y + 1);
    float4 truths = select((float4)(1), (float4)(2), ~(convert_int4(bytes) > 9) & (convert_int4(bytes) < 99));
    // Bits of one value and of another, in all orders; what is between is used elsewhere, too, or is not; constants.
    uint z = x * 5 + 3, differing = x ^ z;
    sum = sum * 3 + (((x ^ y) & z) ^ y) + 5 * (x ^ (z & (y ^ x))) + 7 * (((c[i] ^ x) & y) ^ c[i]) + 11 * ((differing & y) ^ z) + differing;
    sum = sum * 3 + (((x ^ y) & 0xf0f0f0f0) ^ y) + 5 * (((x ^ n) & y) ^ n) + 7 * (((x ^ y) & n) ^ x) + bitselect(x, y, z);
    wide ^= ((wide ^ limit) & (wide * 3)) ^ limit;
    sum += (uint)(wide >> 13) + as_uint(((shorts ^ as_ushort2(x)) & as_ushort2(y)) ^ as_ushort2(x));
    out[i] = sum + as_uint(shorts) * 17 + as_uint(bytes) * 19 + (uint)truths.x + (uint)truths.w * 2;
}

// run: scalar global=8 local=8 args: int[8] = iota ; int[8] = 0 ... ; int = 4660 ; long = 20015998343868
kernel void scalar(global const uint *a, global uint *out, int n, ulong m) {
    uint all = a[0] & ~n;
    ulong wide = ~m & (((ulong)a[1] << 32) | a[2]);
    uchar byte = ~(uchar)n & (uchar)a[3];
    bool is_any = !(n > 3) & (m > 9);
    if (~all & a[4])
        out[get_local_id(0)] = all + (uint)wide + (uint)(wide >> 32) + byte + is_any;
}
