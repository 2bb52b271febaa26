// Arithmetic that tells whether its result fits. Operands of any integer types: they come as long
// or ulong, and results are computed with 128 bits, in two halves.

bool __store_wide(long high, ulong low, __any sigentype *result)
{
    sigentype fitted = (sigentype)low;
    *result = fitted;
    return (ulong)(long)fitted != low || high != (long)low >> 63;
}
bool __store_wide(long high, ulong low, __any sugentype *result)
{
    sugentype fitted = (sugentype)low;
    *result = fitted;
    return (ulong)fitted != low || high != 0;
}

bool __add_wide(long a_high, ulong a, long b_high, ulong b, __any sgentypei *result)
{
    ulong low = a + b;
    return __store_wide(a_high + b_high + (low < a ? 1 : 0), low, result);
}
bool __sub_wide(long a_high, ulong a, long b_high, ulong b, __any sgentypei *result)
{
    return __store_wide(a_high - b_high - (a < b ? 1 : 0), a - b, result);
}
bool __mul_wide(long a_high, ulong a, long b_high, ulong b, __any sgentypei *result)
{
    ulong high = mul_hi(a, b) + (ulong)a_high * b + a * (ulong)b_high;
    return __store_wide((long)high, a * b, result);
}

__wide bool __builtin_add_overflow(long a, long b, __any sgentypei *result)
{
    return __add_wide(a >> 63, (ulong)a, b >> 63, (ulong)b, result);
}
__wide bool __builtin_add_overflow(long a, ulong b, __any sgentypei *result)
{
    return __add_wide(a >> 63, (ulong)a, 0, b, result);
}
__wide bool __builtin_add_overflow(ulong a, long b, __any sgentypei *result)
{
    return __add_wide(0, a, b >> 63, (ulong)b, result);
}
__wide bool __builtin_add_overflow(ulong a, ulong b, __any sgentypei *result)
{
    return __add_wide(0, a, 0, b, result);
}

__wide bool __builtin_sub_overflow(long a, long b, __any sgentypei *result)
{
    return __sub_wide(a >> 63, (ulong)a, b >> 63, (ulong)b, result);
}
__wide bool __builtin_sub_overflow(long a, ulong b, __any sgentypei *result)
{
    return __sub_wide(a >> 63, (ulong)a, 0, b, result);
}
__wide bool __builtin_sub_overflow(ulong a, long b, __any sgentypei *result)
{
    return __sub_wide(0, a, b >> 63, (ulong)b, result);
}
__wide bool __builtin_sub_overflow(ulong a, ulong b, __any sgentypei *result)
{
    return __sub_wide(0, a, 0, b, result);
}

__wide bool __builtin_mul_overflow(long a, long b, __any sgentypei *result)
{
    return __mul_wide(a >> 63, (ulong)a, b >> 63, (ulong)b, result);
}
__wide bool __builtin_mul_overflow(long a, ulong b, __any sgentypei *result)
{
    return __mul_wide(a >> 63, (ulong)a, 0, b, result);
}
__wide bool __builtin_mul_overflow(ulong a, long b, __any sgentypei *result)
{
    return __mul_wide(0, a, b >> 63, (ulong)b, result);
}
__wide bool __builtin_mul_overflow(ulong a, ulong b, __any sgentypei *result)
{
    return __mul_wide(0, a, 0, b, result);
}

bool __builtin_sadd_overflow(int a, int b, __any int *result)
{
    return __builtin_add_overflow(a, b, result);
}
bool __builtin_saddl_overflow(long a, long b, __any long *result)
{
    return __builtin_add_overflow(a, b, result);
}
bool __builtin_saddll_overflow(long a, long b, __any long *result)
{
    return __builtin_add_overflow(a, b, result);
}
bool __builtin_uadd_overflow(uint a, uint b, __any uint *result)
{
    return __builtin_add_overflow(a, b, result);
}
bool __builtin_uaddl_overflow(ulong a, ulong b, __any ulong *result)
{
    return __builtin_add_overflow(a, b, result);
}
bool __builtin_uaddll_overflow(ulong a, ulong b, __any ulong *result)
{
    return __builtin_add_overflow(a, b, result);
}
bool __builtin_ssub_overflow(int a, int b, __any int *result)
{
    return __builtin_sub_overflow(a, b, result);
}
bool __builtin_ssubl_overflow(long a, long b, __any long *result)
{
    return __builtin_sub_overflow(a, b, result);
}
bool __builtin_ssubll_overflow(long a, long b, __any long *result)
{
    return __builtin_sub_overflow(a, b, result);
}
bool __builtin_usub_overflow(uint a, uint b, __any uint *result)
{
    return __builtin_sub_overflow(a, b, result);
}
bool __builtin_usubl_overflow(ulong a, ulong b, __any ulong *result)
{
    return __builtin_sub_overflow(a, b, result);
}
bool __builtin_usubll_overflow(ulong a, ulong b, __any ulong *result)
{
    return __builtin_sub_overflow(a, b, result);
}
bool __builtin_smul_overflow(int a, int b, __any int *result)
{
    return __builtin_mul_overflow(a, b, result);
}
bool __builtin_smull_overflow(long a, long b, __any long *result)
{
    return __builtin_mul_overflow(a, b, result);
}
bool __builtin_smulll_overflow(long a, long b, __any long *result)
{
    return __builtin_mul_overflow(a, b, result);
}
bool __builtin_umul_overflow(uint a, uint b, __any uint *result)
{
    return __builtin_mul_overflow(a, b, result);
}
bool __builtin_umull_overflow(ulong a, ulong b, __any ulong *result)
{
    return __builtin_mul_overflow(a, b, result);
}
bool __builtin_umulll_overflow(ulong a, ulong b, __any ulong *result)
{
    return __builtin_mul_overflow(a, b, result);
}

// With a carry that comes in and one that goes out.
uchar __builtin_addcb(uchar a, uchar b, uchar carry, __any uchar *carry_out)
{
    uchar part = (uchar)(a + b);
    uchar sum = (uchar)(part + carry);
    *carry_out = part < a || sum < part ? 1 : 0;
    return sum;
}
uchar __builtin_subcb(uchar a, uchar b, uchar borrow, __any uchar *borrow_out)
{
    uchar part = (uchar)(a - b);
    *borrow_out = a < b || part < borrow ? 1 : 0;
    return (uchar)(part - borrow);
}
ushort __builtin_addcs(ushort a, ushort b, ushort carry, __any ushort *carry_out)
{
    ushort part = (ushort)(a + b);
    ushort sum = (ushort)(part + carry);
    *carry_out = part < a || sum < part ? 1 : 0;
    return sum;
}
ushort __builtin_subcs(ushort a, ushort b, ushort borrow, __any ushort *borrow_out)
{
    ushort part = (ushort)(a - b);
    *borrow_out = a < b || part < borrow ? 1 : 0;
    return (ushort)(part - borrow);
}
uint __builtin_addc(uint a, uint b, uint carry, __any uint *carry_out)
{
    uint part = (uint)(a + b);
    uint sum = (uint)(part + carry);
    *carry_out = part < a || sum < part ? 1 : 0;
    return sum;
}
uint __builtin_subc(uint a, uint b, uint borrow, __any uint *borrow_out)
{
    uint part = (uint)(a - b);
    *borrow_out = a < b || part < borrow ? 1 : 0;
    return (uint)(part - borrow);
}
ulong __builtin_addcl(ulong a, ulong b, ulong carry, __any ulong *carry_out)
{
    ulong part = (ulong)(a + b);
    ulong sum = (ulong)(part + carry);
    *carry_out = part < a || sum < part ? 1 : 0;
    return sum;
}
ulong __builtin_subcl(ulong a, ulong b, ulong borrow, __any ulong *borrow_out)
{
    ulong part = (ulong)(a - b);
    *borrow_out = a < b || part < borrow ? 1 : 0;
    return (ulong)(part - borrow);
}
ulong __builtin_addcll(ulong a, ulong b, ulong carry, __any ulong *carry_out)
{
    ulong part = (ulong)(a + b);
    ulong sum = (ulong)(part + carry);
    *carry_out = part < a || sum < part ? 1 : 0;
    return sum;
}
ulong __builtin_subcll(ulong a, ulong b, ulong borrow, __any ulong *borrow_out)
{
    ulong part = (ulong)(a - b);
    *borrow_out = a < b || part < borrow ? 1 : 0;
    return (ulong)(part - borrow);
}
