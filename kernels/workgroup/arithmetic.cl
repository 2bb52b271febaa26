// Products, bits and votes of a work-group (cl_khr_work_group_uniform_arithmetic). Every work-item of the group calls them;
// workgroup.cl says how they are done.

__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_reduce_mul)
sgentype work_group_reduce_mul(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(half, float, double) __gathers __op(group_reduce_fmul)
sgentype work_group_reduce_mul(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_scan_mul)
sgentype work_group_scan_inclusive_mul(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(half, float, double) __gathers __op(group_scan_fmul)
sgentype work_group_scan_inclusive_mul(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_exclusive_scan_mul)
sgentype work_group_scan_exclusive_mul(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(half, float, double) __gathers __op(group_exclusive_scan_fmul)
sgentype work_group_scan_exclusive_mul(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_reduce_and)
sgentype work_group_reduce_and(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_scan_and)
sgentype work_group_scan_inclusive_and(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_exclusive_scan_and)
sgentype work_group_scan_exclusive_and(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_reduce_or)
sgentype work_group_reduce_or(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_scan_or)
sgentype work_group_scan_inclusive_or(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_exclusive_scan_or)
sgentype work_group_scan_exclusive_or(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_reduce_xor)
sgentype work_group_reduce_xor(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_scan_xor)
sgentype work_group_scan_inclusive_xor(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) __elems(int, uint, long, ulong) __gathers __op(group_exclusive_scan_xor)
sgentype work_group_scan_exclusive_xor(sgentype x);
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_reduce_logical_and(int x)
{
    return work_group_reduce_and((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_scan_inclusive_logical_and(int x)
{
    return work_group_scan_inclusive_and((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_scan_exclusive_logical_and(int x)
{
    return work_group_scan_exclusive_and((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_reduce_logical_or(int x)
{
    return work_group_reduce_or((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_scan_inclusive_logical_or(int x)
{
    return work_group_scan_inclusive_or((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_scan_exclusive_logical_or(int x)
{
    return work_group_scan_exclusive_or((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_reduce_logical_xor(int x)
{
    return work_group_reduce_xor((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_scan_inclusive_logical_xor(int x)
{
    return work_group_scan_inclusive_xor((int)(x != 0)) & 1;
}
__ext(cl_khr_work_group_uniform_arithmetic) __since(200) int work_group_scan_exclusive_logical_xor(int x)
{
    return work_group_scan_exclusive_xor((int)(x != 0)) & 1;
}
