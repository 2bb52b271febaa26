// s6.13.15: work-group functions. Every work-item of the group calls them.
//
// They are operations that end a region of the kernel, as barriers do: each item adds its value
// as it arrives, in the order of the linear ids, so that sums of floating values are the same in
// every run.

__since(200) __elems(int, uint, long, ulong) __gathers __op(group_reduce_add)
sgentype work_group_reduce_add(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_reduce_fadd)
sgentype work_group_reduce_add(sgentype x);
__since(200) __elems(int, long) __gathers __op(group_reduce_smin)
sgentype work_group_reduce_min(sgentype x);
__since(200) __elems(uint, ulong) __gathers __op(group_reduce_umin)
sgentype work_group_reduce_min(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_reduce_fmin)
sgentype work_group_reduce_min(sgentype x);
__since(200) __elems(int, long) __gathers __op(group_reduce_smax)
sgentype work_group_reduce_max(sgentype x);
__since(200) __elems(uint, ulong) __gathers __op(group_reduce_umax)
sgentype work_group_reduce_max(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_reduce_fmax)
sgentype work_group_reduce_max(sgentype x);

__since(200) __elems(int, uint, long, ulong) __gathers __op(group_scan_add)
sgentype work_group_scan_inclusive_add(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_scan_fadd)
sgentype work_group_scan_inclusive_add(sgentype x);
__since(200) __elems(int, long) __gathers __op(group_scan_smin)
sgentype work_group_scan_inclusive_min(sgentype x);
__since(200) __elems(uint, ulong) __gathers __op(group_scan_umin)
sgentype work_group_scan_inclusive_min(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_scan_fmin)
sgentype work_group_scan_inclusive_min(sgentype x);
__since(200) __elems(int, long) __gathers __op(group_scan_smax)
sgentype work_group_scan_inclusive_max(sgentype x);
__since(200) __elems(uint, ulong) __gathers __op(group_scan_umax)
sgentype work_group_scan_inclusive_max(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_scan_fmax)
sgentype work_group_scan_inclusive_max(sgentype x);

__since(200) __elems(int, uint, long, ulong) __gathers __op(group_exclusive_scan_add)
sgentype work_group_scan_exclusive_add(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_exclusive_scan_fadd)
sgentype work_group_scan_exclusive_add(sgentype x);
__since(200) __elems(int, long) __gathers __op(group_exclusive_scan_smin)
sgentype work_group_scan_exclusive_min(sgentype x);
__since(200) __elems(uint, ulong) __gathers __op(group_exclusive_scan_umin)
sgentype work_group_scan_exclusive_min(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_exclusive_scan_fmin)
sgentype work_group_scan_exclusive_min(sgentype x);
__since(200) __elems(int, long) __gathers __op(group_exclusive_scan_smax)
sgentype work_group_scan_exclusive_max(sgentype x);
__since(200) __elems(uint, ulong) __gathers __op(group_exclusive_scan_umax)
sgentype work_group_scan_exclusive_max(sgentype x);
__since(200) __elems(half, float, double) __gathers __op(group_exclusive_scan_fmax)
sgentype work_group_scan_exclusive_max(sgentype x);

__since(200) int work_group_all(int predicate) { return work_group_reduce_min((int)(predicate != 0)); }
__since(200) int work_group_any(int predicate) { return work_group_reduce_max((int)(predicate != 0)); }

__since(200) __elems(int, uint, long, ulong, half, float, double) __gathers __op(group_broadcast)
sgentype __group_broadcast(sgentype x, ulong from);

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_broadcast(sgentype x, size_t local_id)
{
    return __group_broadcast(x, local_id);
}

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_broadcast(sgentype x, size_t local_id_x, size_t local_id_y)
{
    return __group_broadcast(x, local_id_y * get_local_size(0) + local_id_x);
}

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_broadcast(sgentype x, size_t local_id_x, size_t local_id_y, size_t local_id_z)
{
    return __group_broadcast(x, (local_id_z * get_local_size(1) + local_id_y) * get_local_size(0) + local_id_x);
}
