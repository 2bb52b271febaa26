// Whether a result fits, for operands and results of any integer types.
// run: k args: int[20] = 0; long[6] = 0
// expect: 0 = 1 0 1 0 1 1 0 1 0 1 0 1 1 0 1 0 1 0 3 1
// expect: 1 = -2147483648 -1 0 1 -9223372036854775808 9223372036854775807
kernel void k(global int *out, global long *value)
{
    int i;
    uint u;
    char c;
    uchar b;
    long l;
    ulong m;
    out[0] = __builtin_add_overflow(0x7fffffff, 1, &i);
    value[0] = i;
    out[1] = __builtin_add_overflow(0xffffffffu, -1, &u);
    out[2] = __builtin_sub_overflow(0u, 1u, &u);
    value[1] = (int)u;
    out[3] = __builtin_sub_overflow(0u, 1u, &i);
    out[4] = __builtin_mul_overflow(16, 8, &c);
    out[5] = __builtin_mul_overflow(-1, 1, &b);
    out[6] = __builtin_mul_overflow(-16, 8, &c);
    out[7] = __builtin_mul_overflow(0x100000000L, 0x100000000L, &m);
    value[2] = (long)m;
    out[8] = __builtin_mul_overflow(0xffffffffUL, 0xffffffffUL, &m);
    out[9] = __builtin_mul_overflow(0xffffffffffffffffUL, 0xffffffffffffffffUL, &l);
    value[3] = l;
    out[10] = __builtin_mul_overflow(-1L, 0x8000000000000000UL, &l);
    value[4] = l;
    out[11] = __builtin_mul_overflow(-1L, 0x8000000000000001UL, &l);
    value[5] = l;
    out[12] = __builtin_saddl_overflow(LONG_MAX, 1, &l);
    out[13] = __builtin_usub_overflow(4, 3, &u);
    out[14] = __builtin_umulll_overflow(1UL << 63, 2, &m);
    uint carry;
    out[15] = __builtin_addc(0xffffffffu, 0u, 1u, &carry);
    out[16] = carry;
    out[17] = __builtin_subc(1u, 1u, 0u, &carry);
    uchar small;
    out[18] = __builtin_addcb(255, 4, 0, &small);
    out[19] = small;
}
