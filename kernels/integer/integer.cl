// s6.13.3: integer functions. All are exact.

__op(iabs) uinttype abs(igentype x);
ugentype abs(ugentype x) { return x; }

uinttype abs_diff(gentypei x, gentypei y)
{
    uinttype a = as_uinttype(x);
    uinttype b = as_uinttype(y);
    return x > y ? a - b : b - a;
}

__op(sadd_sat) igentype add_sat(igentype x, igentype y);
__op(uadd_sat) ugentype add_sat(ugentype x, ugentype y);
__op(ssub_sat) igentype sub_sat(igentype x, igentype y);
__op(usub_sat) ugentype sub_sat(ugentype x, ugentype y);

gentypei hadd(gentypei x, gentypei y)
{
    // Bits that both have count twice, bits that one has count once.
    return (x & y) + ((x ^ y) >> (gentypei)1);
}
gentypei rhadd(gentypei x, gentypei y)
{
    return (x | y) - ((x ^ y) >> (gentypei)1);
}

__op(clz) gentypei clz(gentypei x);
__since(200) __op(ctz) gentypei ctz(gentypei x);
__since(120) __op(popcnt) gentypei popcount(gentypei x);
__op(rotl) gentypei rotate(gentypei x, gentypei count);

__op(smulhi) igentype mul_hi(igentype x, igentype y);
__op(umulhi) ugentype mul_hi(ugentype x, ugentype y);
gentypei mad_hi(gentypei a, gentypei b, gentypei c) { return mul_hi(a, b) + c; }

__elems(int, uint) gentypei mul24(gentypei x, gentypei y) { return x * y; }
__elems(int, uint) gentypei mad24(gentypei x, gentypei y, gentypei z) { return x * y + z; }

__elems(char, uchar, short, ushort, int)
__each gentypei mad_sat(gentypei a, gentypei b, gentypei c)
{
    // Twice the width holds any product and sum.
    widetype sum = (widetype)a * (widetype)b + (widetype)c;
    widetype top = __MAX_OF(gentypei);
    widetype bottom = __MIN_OF(gentypei);
    return (gentypei)(sum > top ? top : sum < bottom ? bottom : sum);
}

__elems(uint, ulong) __each gentypei mad_sat(gentypei a, gentypei b, gentypei c)
{
    return mul_hi(a, b) != 0 ? __MAX_OF(gentypei) : add_sat(a * b, c);
}

__elems(long) __each gentypei mad_sat(gentypei a, gentypei b, gentypei c)
{
    // The sum as 128 bits in two halves; it fits if the upper half is only sign.
    ulong low = (ulong)a * (ulong)b;
    ulong sum = low + (ulong)c;
    long high = mul_hi(a, b) + (c >> 63) + (sum < low ? 1 : 0);
    long limit = high < 0 ? LONG_MIN : LONG_MAX;
    return high == (long)sum >> 63 ? (long)sum : limit;
}

__elems(char, uchar, short, ushort, int, uint)
__each widetype upsample(gentypei high, uinttype low)
{
    return (widetype)(((uwidetype)high << (8 * sizeof(gentypei))) | (uwidetype)low);
}

__op(smin) igentype min(igentype x, igentype y);
__op(umin) ugentype min(ugentype x, ugentype y);
__op(smax) igentype max(igentype x, igentype y);
__op(umax) ugentype max(ugentype x, ugentype y);
gentypei clamp(gentypei x, gentypei low, gentypei high) { return min(max(x, low), high); }

__since(110) vgentypei min(vgentypei x, sgentypei y) { return min(x, (vgentypei)y); }
__since(110) vgentypei max(vgentypei x, sgentypei y) { return max(x, (vgentypei)y); }
__since(110) vgentypei clamp(vgentypei x, sgentypei low, sgentypei high)
{
    return min(max(x, (vgentypei)low), (vgentypei)high);
}
