// Votes of those of a sub-group that come together (cl_khr_subgroup_non_uniform_vote).

__ext(cl_khr_subgroup_non_uniform_vote) __since(200) int sub_group_elect(void)
{
    return __sub_group_first(get_sub_group_local_id()) == get_sub_group_local_id();
}
__ext(cl_khr_subgroup_non_uniform_vote) __since(200) int sub_group_non_uniform_all(int predicate) { return __sub_group_ballot(!predicate) == 0; }
__ext(cl_khr_subgroup_non_uniform_vote) __since(200) int sub_group_non_uniform_any(int predicate) { return __sub_group_ballot(predicate) != 0; }
__ext(cl_khr_subgroup_non_uniform_vote) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
int sub_group_non_uniform_all_equal(sgentype x)
{
    return __sub_group_ballot(!(x == __sub_group_first(x))) == 0;
}
