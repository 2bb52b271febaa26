// Instructions of SPIR-V for numbers that OpenCL C has no function for. All are exact, but for the dot products of floats.

// The remainder whose sign is that of the divisor.
__each gentypef __spirv_floored_mod(gentypef x, gentypef y)
{
    gentypef rest = fmod(x, y);
    return rest == 0 ? copysign(rest, y) : (rest < 0) != (y < 0) ? rest + y : rest;
}

// For native functions of types that have none.
gentypef __spirv_reciprocal(gentypef x) { return (gentypef)1 / x; }
gentypef __spirv_divide(gentypef x, gentypef y) { return x / y; }

__each ushortn __spirv_to_bfloat16(floatn x)
{
    uint bits = as_uint(x);
    // To nearest, ties to even; a NaN keeps a bit.
    uint rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (ushort)((x != x ? bits | 0x400000 : rounded) >> 16);
}
__each floatn __spirv_from_bfloat16(ushortn x) { return as_float((uint)x << 16); }

__each ugentype __spirv_low_ones(ugentype like, uint count)
{
    ugentype all = ~(ugentype)0;
    return count >= 8 * sizeof(ugentype) ? all : (ugentype)~(all << count);
}
__each ugentype __spirv_insert_bits(ugentype base, ugentype insert, uint offset, uint count)
{
    ugentype mask = __spirv_low_ones(base, count) << offset;
    return (base & ~mask) | (insert << offset & mask);
}
__each ugentype __spirv_extract_bits(ugentype base, uint offset, uint count)
{
    return base >> offset & __spirv_low_ones(base, count);
}
__each igentype __spirv_extract_bits(igentype base, uint offset, uint count)
{
    uint width = 8 * sizeof(igentype);
    igentype top = (igentype)(as_uinttype(base) << (width - offset - count));
    return count == 0 ? (igentype)0 : (igentype)(top >> (width - count));
}

__lanes(8) sgentypef __spirv_dot(gentypef a, gentypef b) { return dot(a.lo, b.lo) + dot(a.hi, b.hi); }
__lanes(16) sgentypef __spirv_dot(gentypef a, gentypef b) { return __spirv_dot(a.lo, b.lo) + __spirv_dot(a.hi, b.hi); }

// Sums of products modulo 2^64: what is narrower takes the lower bits.
__since(110) long __spirv_dot(vigentype a, vigentype b)
{
    long sum = 0;
    for (uint i = 0; i < vec_step(vigentype); i++)
        sum += (long)a[i] * (long)b[i];
    return sum;
}
__since(110) ulong __spirv_dot(vugentype a, vugentype b)
{
    ulong sum = 0;
    for (uint i = 0; i < vec_step(vugentype); i++)
        sum += (ulong)a[i] * (ulong)b[i];
    return sum;
}
__since(110) long __spirv_dot(vigentype a, uinttype b)
{
    long sum = 0;
    for (uint i = 0; i < vec_step(vigentype); i++)
        sum += (long)a[i] * (long)b[i];
    return sum;
}
__since(110) long __spirv_packed_dot(int a, int b) { return __spirv_dot(as_char4(a), as_char4(b)); }
__since(110) ulong __spirv_packed_dot(uint a, uint b) { return __spirv_dot(as_uchar4(a), as_uchar4(b)); }
__since(110) long __spirv_packed_dot(int a, uint b) { return __spirv_dot(as_char4(a), as_uchar4(b)); }

// The product is as wide as the sum, and only the sum saturates.
__since(110) char __spirv_add_dot_sat(vigentype a, vigentype b, char sum) { return add_sat((char)__spirv_dot(a, b), sum); }
__since(110) short __spirv_add_dot_sat(vigentype a, vigentype b, short sum) { return add_sat((short)__spirv_dot(a, b), sum); }
__since(110) int __spirv_add_dot_sat(vigentype a, vigentype b, int sum) { return add_sat((int)__spirv_dot(a, b), sum); }
__since(110) long __spirv_add_dot_sat(vigentype a, vigentype b, long sum) { return add_sat((long)__spirv_dot(a, b), sum); }
__since(110) uchar __spirv_add_dot_sat(vugentype a, vugentype b, uchar sum) { return add_sat((uchar)__spirv_dot(a, b), sum); }
__since(110) ushort __spirv_add_dot_sat(vugentype a, vugentype b, ushort sum) { return add_sat((ushort)__spirv_dot(a, b), sum); }
__since(110) uint __spirv_add_dot_sat(vugentype a, vugentype b, uint sum) { return add_sat((uint)__spirv_dot(a, b), sum); }
__since(110) ulong __spirv_add_dot_sat(vugentype a, vugentype b, ulong sum) { return add_sat((ulong)__spirv_dot(a, b), sum); }
__since(110) char __spirv_add_dot_sat(vigentype a, uinttype b, char sum) { return add_sat((char)__spirv_dot(a, b), sum); }
__since(110) short __spirv_add_dot_sat(vigentype a, uinttype b, short sum) { return add_sat((short)__spirv_dot(a, b), sum); }
__since(110) int __spirv_add_dot_sat(vigentype a, uinttype b, int sum) { return add_sat((int)__spirv_dot(a, b), sum); }
__since(110) long __spirv_add_dot_sat(vigentype a, uinttype b, long sum) { return add_sat((long)__spirv_dot(a, b), sum); }
__since(110) char __spirv_add_packed_dot_sat(int a, int b, char sum) { return add_sat((char)__spirv_packed_dot(a, b), sum); }
__since(110) short __spirv_add_packed_dot_sat(int a, int b, short sum) { return add_sat((short)__spirv_packed_dot(a, b), sum); }
__since(110) int __spirv_add_packed_dot_sat(int a, int b, int sum) { return add_sat((int)__spirv_packed_dot(a, b), sum); }
__since(110) long __spirv_add_packed_dot_sat(int a, int b, long sum) { return add_sat((long)__spirv_packed_dot(a, b), sum); }
__since(110) uchar __spirv_add_packed_dot_sat(uint a, uint b, uchar sum) { return add_sat((uchar)__spirv_packed_dot(a, b), sum); }
__since(110) ushort __spirv_add_packed_dot_sat(uint a, uint b, ushort sum) { return add_sat((ushort)__spirv_packed_dot(a, b), sum); }
__since(110) uint __spirv_add_packed_dot_sat(uint a, uint b, uint sum) { return add_sat((uint)__spirv_packed_dot(a, b), sum); }
__since(110) ulong __spirv_add_packed_dot_sat(uint a, uint b, ulong sum) { return add_sat((ulong)__spirv_packed_dot(a, b), sum); }
__since(110) char __spirv_add_packed_dot_sat(int a, uint b, char sum) { return add_sat((char)__spirv_packed_dot(a, b), sum); }
__since(110) short __spirv_add_packed_dot_sat(int a, uint b, short sum) { return add_sat((short)__spirv_packed_dot(a, b), sum); }
__since(110) int __spirv_add_packed_dot_sat(int a, uint b, int sum) { return add_sat((int)__spirv_packed_dot(a, b), sum); }
__since(110) long __spirv_add_packed_dot_sat(int a, uint b, long sum) { return add_sat((long)__spirv_packed_dot(a, b), sum); }
