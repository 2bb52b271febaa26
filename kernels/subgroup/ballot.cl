// Ballots of those of a sub-group that come together, and work on sets of its items (cl_khr_subgroup_ballot): a bit for each
// in a uint4. A sub-group has at most 64.

__ext(cl_khr_subgroup_ballot) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double) __each
gentype sub_group_non_uniform_broadcast(gentype x, uint index)
{
    return __sub_group_shuffle(x, __sub_group_first(index));
}
__ext(cl_khr_subgroup_ballot) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
sgentype sub_group_broadcast_first(sgentype x) { return __sub_group_first(x); }

__ext(cl_khr_subgroup_ballot) __since(200) uint4 __sub_group_set(ulong bits) { return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0); }
__ext(cl_khr_subgroup_ballot) __since(200) ulong __sub_group_bits(uint4 set) { return set.x | (ulong)set.y << 32; }
__ext(cl_khr_subgroup_ballot) __since(200) ulong __sub_group_mine(void) { return 1ul << get_sub_group_local_id(); }
// Of all that a sub-group may have.
__ext(cl_khr_subgroup_ballot) __since(200) ulong __sub_group_full(void) { return ~0ul >> (64 - get_max_sub_group_size()); }

__ext(cl_khr_subgroup_ballot) __since(200) uint4 sub_group_ballot(int predicate) { return __sub_group_set(__sub_group_ballot(predicate)); }
__ext(cl_khr_subgroup_ballot) __since(200) int sub_group_inverse_ballot(uint4 value)
{
    return (__sub_group_bits(value) & __sub_group_mine()) != 0;
}
__ext(cl_khr_subgroup_ballot) __since(200) int sub_group_ballot_bit_extract(uint4 value, uint index)
{
    return (__sub_group_bits(value) >> (index & 63) & 1) & (index < 64);
}
__ext(cl_khr_subgroup_ballot) __since(200) uint sub_group_ballot_bit_count(uint4 value)
{
    return (uint)popcount(__sub_group_bits(value) & __sub_group_full());
}
__ext(cl_khr_subgroup_ballot) __since(200) uint sub_group_ballot_inclusive_scan(uint4 value)
{
    ulong mine = __sub_group_mine();
    return (uint)popcount(__sub_group_bits(value) & (mine | mine - 1));
}
__ext(cl_khr_subgroup_ballot) __since(200) uint sub_group_ballot_exclusive_scan(uint4 value)
{
    return (uint)popcount(__sub_group_bits(value) & __sub_group_mine() - 1);
}
__ext(cl_khr_subgroup_ballot) __since(200) uint sub_group_ballot_find_lsb(uint4 value)
{
    return (uint)ctz(__sub_group_bits(value) & __sub_group_full());
}
__ext(cl_khr_subgroup_ballot) __since(200) uint sub_group_ballot_find_msb(uint4 value)
{
    return 63 - (uint)clz(__sub_group_bits(value) & __sub_group_full());
}

__ext(cl_khr_subgroup_ballot) __since(200) uint4 get_sub_group_eq_mask(void) { return __sub_group_set(__sub_group_mine()); }
__ext(cl_khr_subgroup_ballot) __since(200) uint4 get_sub_group_ge_mask(void)
{
    return __sub_group_set(~(__sub_group_mine() - 1) & __sub_group_full());
}
__ext(cl_khr_subgroup_ballot) __since(200) uint4 get_sub_group_gt_mask(void)
{
    ulong mine = __sub_group_mine();
    return __sub_group_set(~(mine | mine - 1) & __sub_group_full());
}
__ext(cl_khr_subgroup_ballot) __since(200) uint4 get_sub_group_le_mask(void)
{
    ulong mine = __sub_group_mine();
    return __sub_group_set(mine | mine - 1);
}
__ext(cl_khr_subgroup_ballot) __since(200) uint4 get_sub_group_lt_mask(void) { return __sub_group_set(__sub_group_mine() - 1); }
