// Arithmetic among those of a sub-group that come together (cl_khr_subgroup_non_uniform_arithmetic), and among neighbors
// (cl_khr_subgroup_clustered_reduce).

__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_reduce_add)
sgentype sub_group_non_uniform_reduce_add(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_reduce_fadd)
sgentype sub_group_non_uniform_reduce_add(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_scan_add)
sgentype sub_group_non_uniform_scan_inclusive_add(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_scan_fadd)
sgentype sub_group_non_uniform_scan_inclusive_add(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_exclusive_scan_add)
sgentype sub_group_non_uniform_scan_exclusive_add(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_exclusive_scan_fadd)
sgentype sub_group_non_uniform_scan_exclusive_add(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_reduce_mul)
sgentype sub_group_non_uniform_reduce_mul(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_reduce_fmul)
sgentype sub_group_non_uniform_reduce_mul(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_scan_mul)
sgentype sub_group_non_uniform_scan_inclusive_mul(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_scan_fmul)
sgentype sub_group_non_uniform_scan_inclusive_mul(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_exclusive_scan_mul)
sgentype sub_group_non_uniform_scan_exclusive_mul(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_exclusive_scan_fmul)
sgentype sub_group_non_uniform_scan_exclusive_mul(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, short, int, long) __op(sub_group_reduce_smin)
sgentype sub_group_non_uniform_reduce_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_reduce_umin)
sgentype sub_group_non_uniform_reduce_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_reduce_fmin)
sgentype sub_group_non_uniform_reduce_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, short, int, long) __op(sub_group_scan_smin)
sgentype sub_group_non_uniform_scan_inclusive_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_scan_umin)
sgentype sub_group_non_uniform_scan_inclusive_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_scan_fmin)
sgentype sub_group_non_uniform_scan_inclusive_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, short, int, long) __op(sub_group_exclusive_scan_smin)
sgentype sub_group_non_uniform_scan_exclusive_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_exclusive_scan_umin)
sgentype sub_group_non_uniform_scan_exclusive_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_exclusive_scan_fmin)
sgentype sub_group_non_uniform_scan_exclusive_min(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, short, int, long) __op(sub_group_reduce_smax)
sgentype sub_group_non_uniform_reduce_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_reduce_umax)
sgentype sub_group_non_uniform_reduce_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_reduce_fmax)
sgentype sub_group_non_uniform_reduce_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, short, int, long) __op(sub_group_scan_smax)
sgentype sub_group_non_uniform_scan_inclusive_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_scan_umax)
sgentype sub_group_non_uniform_scan_inclusive_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_scan_fmax)
sgentype sub_group_non_uniform_scan_inclusive_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, short, int, long) __op(sub_group_exclusive_scan_smax)
sgentype sub_group_non_uniform_scan_exclusive_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_exclusive_scan_umax)
sgentype sub_group_non_uniform_scan_exclusive_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(half, float, double) __op(sub_group_exclusive_scan_fmax)
sgentype sub_group_non_uniform_scan_exclusive_max(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_reduce_and)
sgentype sub_group_non_uniform_reduce_and(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_scan_and)
sgentype sub_group_non_uniform_scan_inclusive_and(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_exclusive_scan_and)
sgentype sub_group_non_uniform_scan_exclusive_and(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_reduce_or)
sgentype sub_group_non_uniform_reduce_or(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_scan_or)
sgentype sub_group_non_uniform_scan_inclusive_or(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_exclusive_scan_or)
sgentype sub_group_non_uniform_scan_exclusive_or(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_reduce_xor)
sgentype sub_group_non_uniform_reduce_xor(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_scan_xor)
sgentype sub_group_non_uniform_scan_inclusive_xor(sgentype x);
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_exclusive_scan_xor)
sgentype sub_group_non_uniform_scan_exclusive_xor(sgentype x);

__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_reduce_logical_and(int x)
{
    return sub_group_non_uniform_reduce_and((int)(x != 0)) & 1;
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_scan_inclusive_logical_and(int x)
{
    return sub_group_non_uniform_scan_inclusive_and((int)(x != 0)) & 1;
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_scan_exclusive_logical_and(int x)
{
    return sub_group_non_uniform_scan_exclusive_and((int)(x != 0)) & 1;
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_reduce_logical_or(int x)
{
    return sub_group_non_uniform_reduce_or((int)(x != 0));
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_scan_inclusive_logical_or(int x)
{
    return sub_group_non_uniform_scan_inclusive_or((int)(x != 0));
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_scan_exclusive_logical_or(int x)
{
    return sub_group_non_uniform_scan_exclusive_or((int)(x != 0));
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_reduce_logical_xor(int x)
{
    return sub_group_non_uniform_reduce_xor((int)(x != 0));
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_scan_inclusive_logical_xor(int x)
{
    return sub_group_non_uniform_scan_inclusive_xor((int)(x != 0));
}
__ext(cl_khr_subgroup_non_uniform_arithmetic) __since(200) int sub_group_non_uniform_scan_exclusive_logical_xor(int x)
{
    return sub_group_non_uniform_scan_exclusive_xor((int)(x != 0));
}

// The size is a power of two.
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_cluster_add)
sgentype sub_group_clustered_reduce_add(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(half, float, double) __op(sub_group_cluster_fadd)
sgentype sub_group_clustered_reduce_add(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_cluster_mul)
sgentype sub_group_clustered_reduce_mul(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(half, float, double) __op(sub_group_cluster_fmul)
sgentype sub_group_clustered_reduce_mul(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(char, short, int, long) __op(sub_group_cluster_smin)
sgentype sub_group_clustered_reduce_min(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_cluster_umin)
sgentype sub_group_clustered_reduce_min(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(half, float, double) __op(sub_group_cluster_fmin)
sgentype sub_group_clustered_reduce_min(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(char, short, int, long) __op(sub_group_cluster_smax)
sgentype sub_group_clustered_reduce_max(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(uchar, ushort, uint, ulong) __op(sub_group_cluster_umax)
sgentype sub_group_clustered_reduce_max(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(half, float, double) __op(sub_group_cluster_fmax)
sgentype sub_group_clustered_reduce_max(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_cluster_and)
sgentype sub_group_clustered_reduce_and(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_cluster_or)
sgentype sub_group_clustered_reduce_or(sgentype x, uint size);
__ext(cl_khr_subgroup_clustered_reduce) __since(200) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_cluster_xor)
sgentype sub_group_clustered_reduce_xor(sgentype x, uint size);

__ext(cl_khr_subgroup_clustered_reduce) __since(200) int sub_group_clustered_reduce_logical_and(int x, uint size)
{
    return sub_group_clustered_reduce_and((int)(x != 0), size) & 1;
}
__ext(cl_khr_subgroup_clustered_reduce) __since(200) int sub_group_clustered_reduce_logical_or(int x, uint size)
{
    return sub_group_clustered_reduce_or((int)(x != 0), size);
}
__ext(cl_khr_subgroup_clustered_reduce) __since(200) int sub_group_clustered_reduce_logical_xor(int x, uint size)
{
    return sub_group_clustered_reduce_xor((int)(x != 0), size);
}
