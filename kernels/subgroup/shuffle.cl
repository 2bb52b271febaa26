// Values of others of a sub-group, by their places (cl_khr_subgroup_shuffle, cl_khr_subgroup_shuffle_relative,
// cl_khr_subgroup_rotate). Those of places that nobody has come to are open.

__ext(cl_khr_subgroup_shuffle) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
sgentype sub_group_shuffle(sgentype x, uint index) { return __sub_group_shuffle(x, index); }
__ext(cl_khr_subgroup_shuffle) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
sgentype sub_group_shuffle_xor(sgentype x, uint mask)
{
    return __sub_group_shuffle(x, get_sub_group_local_id() ^ mask);
}

__ext(cl_khr_subgroup_shuffle_relative) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
sgentype sub_group_shuffle_up(sgentype x, uint delta)
{
    return __sub_group_shuffle(x, get_sub_group_local_id() - delta);
}
__ext(cl_khr_subgroup_shuffle_relative) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
sgentype sub_group_shuffle_down(sgentype x, uint delta)
{
    return __sub_group_shuffle(x, get_sub_group_local_id() + delta);
}

__ext(cl_khr_subgroup_rotate) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
sgentype sub_group_rotate(sgentype x, int delta)
{
    return __sub_group_shuffle(x, get_sub_group_local_id() + delta);
}
__ext(cl_khr_subgroup_rotate) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double)
sgentype sub_group_clustered_rotate(sgentype x, int delta, uint size)
{
    uint id = get_sub_group_local_id();
    return __sub_group_shuffle(x, (id & ~(size - 1)) | ((id + delta) & (size - 1)));
}
