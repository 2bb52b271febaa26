// Ballots, votes and sets.
// options: -cl-std=CL2.0
// run: k global=24 local=12 args: int[24] = iota ; ulong[24] = 0 ... ; int[24] = 0 ... ; int[24] = 0 ... ; int[24] = 0 ...
// expect: 1 = 36 36 36 36 36 36 36 36 9 9 9 9 36 36 36 36 36 36 36 36 9 9 9 9
__attribute__((intel_reqd_sub_group_size(8)))
kernel void k(global const int *in, global ulong *set, global int *votes, global int *counts, global int *masks) {
    size_t i = get_global_id(0);
    int x = in[i] + 10;
    uint4 bits = sub_group_ballot(x % 3 == 0);
    set[i] = bits.x | (ulong)bits.y << 32;
    int v = 0;
    if (x & 1)
        v = sub_group_elect() + 2 * sub_group_non_uniform_all(x > 13) + 4 * sub_group_non_uniform_any(x > 13)
            + 8 * sub_group_non_uniform_all_equal(x & 1) + 16 * sub_group_non_uniform_all_equal((float)x);
    else
        v = sub_group_elect() * 32 + 64 * sub_group_non_uniform_broadcast(x, sub_group_broadcast_first(get_sub_group_local_id()));
    votes[i] = v + 1024 * sub_group_all(x > 12) + 2048 * sub_group_any(x > 12);
    counts[i] = sub_group_inverse_ballot(bits) + 2 * sub_group_ballot_bit_extract(bits, 2) + 4 * sub_group_ballot_bit_count(bits)
        + 64 * sub_group_ballot_inclusive_scan(bits) + 1024 * sub_group_ballot_exclusive_scan(bits)
        + (bits.x ? 16384 * sub_group_ballot_find_lsb(bits) + 262144 * sub_group_ballot_find_msb(bits) : 0);
    masks[i] = get_sub_group_eq_mask().x + 3 * get_sub_group_ge_mask().x + 5 * get_sub_group_gt_mask().x
        + 7 * get_sub_group_le_mask().x + 9 * get_sub_group_lt_mask().x;
}
