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
