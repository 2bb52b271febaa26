// Instructions of SPIR-V for groups that take more types than the functions of OpenCL C do: vectors, small integers.

__since(200) __elems(int, uint, long, ulong, half, float, double) __each
gentype __spirv_broadcast(gentype x, ulong local_id) { return __group_broadcast(x, local_id); }
__since(200) __elems(char, uchar, short, ushort) __each
gentype __spirv_broadcast(gentype x, ulong local_id) { return (gentype)__group_broadcast((int)x, local_id); }
__since(200) gentype __spirv_broadcast2(gentype x, ulong2 id)
{
    return __spirv_broadcast(x, id.y * get_local_size(0) + id.x);
}
__since(200) gentype __spirv_broadcast3(gentype x, ulong3 id)
{
    return __spirv_broadcast(x, (id.z * get_local_size(1) + id.y) * get_local_size(0) + id.x);
}
__since(200) gentype __spirv_broadcast2(gentype x, uint2 id) { return __spirv_broadcast2(x, convert_ulong2(id)); }
__since(200) gentype __spirv_broadcast3(gentype x, uint3 id) { return __spirv_broadcast3(x, convert_ulong3(id)); }

__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_broadcast_first(gentype x) { return __sub_group_first(x); }
__ext(cl_khr_subgroups) __since(200) int __spirv_all_agree(int predicate) { return sub_group_non_uniform_all_equal((int)(predicate != 0)); }
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_shuffle(gentype x, uint index) { return __sub_group_shuffle(x, index); }
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_shuffle_xor(gentype x, uint mask) { return sub_group_shuffle_xor(x, mask); }
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_shuffle_up(gentype x, uint delta) { return sub_group_shuffle_up(x, delta); }
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_shuffle_down(gentype x, uint delta) { return sub_group_shuffle_down(x, delta); }
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_rotate(gentype x, int delta) { return sub_group_rotate(x, delta); }
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_rotate(gentype x, int delta, uint size) { return sub_group_clustered_rotate(x, delta, size); }

// SPV_INTEL_subgroups: two values of each, side by side.
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_shuffle_up(gentype previous, gentype current, uint delta)
{
    uint from = get_sub_group_local_id() - delta;
    gentype before = __sub_group_shuffle(previous, from + get_max_sub_group_size());
    gentype here = __sub_group_shuffle(current, from);
    return (int)from < 0 ? before : here;
}
__ext(cl_khr_subgroups) __since(200) __each gentype __spirv_shuffle_down(gentype current, gentype next, uint delta)
{
    uint from = get_sub_group_local_id() + delta, size = get_max_sub_group_size();
    gentype here = __sub_group_shuffle(current, from);
    gentype behind = __sub_group_shuffle(next, from - size);
    return from < size ? here : behind;
}

// Blocks: component i of each is its place in row i.
__ext(cl_khr_subgroups) __since(200) sgentype __spirv_block_read1(const __readable sgentype *p) { return p[get_sub_group_local_id()]; }
__ext(cl_khr_subgroups) __since(200) void __spirv_block_write1(__any sgentype *p, sgentype x) { p[get_sub_group_local_id()] = x; }
__ext(cl_khr_subgroups) __since(200) gentype2 __spirv_block_read2(const __readable sgentype *p)
{
    gentype2 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 2; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_khr_subgroups) __since(200) void __spirv_block_write2(__any sgentype *p, gentype2 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 2; i++)
        p[i * size + lane] = x[i];
}
__ext(cl_khr_subgroups) __since(200) gentype4 __spirv_block_read4(const __readable sgentype *p)
{
    gentype4 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 4; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_khr_subgroups) __since(200) void __spirv_block_write4(__any sgentype *p, gentype4 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 4; i++)
        p[i * size + lane] = x[i];
}
__ext(cl_khr_subgroups) __since(200) gentype8 __spirv_block_read8(const __readable sgentype *p)
{
    gentype8 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 8; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_khr_subgroups) __since(200) void __spirv_block_write8(__any sgentype *p, gentype8 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 8; i++)
        p[i * size + lane] = x[i];
}
__ext(cl_khr_subgroups) __since(200) gentype16 __spirv_block_read16(const __readable sgentype *p)
{
    gentype16 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 16; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_khr_subgroups) __since(200) void __spirv_block_write16(__any sgentype *p, gentype16 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 16; i++)
        p[i * size + lane] = x[i];
}
