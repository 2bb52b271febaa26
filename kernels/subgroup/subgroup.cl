// Sub-groups (cl_khr_subgroups, cl_khr_subgroup_extended_types; OpenCL C 3.0 s6.15.19): work-items of neighboring linear
// local ids, which run side by side. Programs of OpenCL C 1.2 have what cl_intel_subgroups has.
//
// What all of a sub-group have to call together is done by those who come to it together, which are then all of them; so the
// functions of this file and those for some of them (arithmetic.cl, ballot.cl, vote.cl) are the same operations.

__ext(cl_khr_subgroups) __since(120) __varies __op(sub_group_lane) uint get_sub_group_local_id(void);
__ext(cl_khr_subgroups) __since(120) __op(sub_group_size) uint get_max_sub_group_size(void);
__ext(cl_khr_subgroups) __since(120) __varies __op(linear_id) size_t __linear_id(void);
__ext(cl_khr_subgroups) __since(120) __op(sub_group_barrier) void __sub_group_barrier(void);
// A bit for each that says so, in the place of its local id.
__ext(cl_khr_subgroups) __since(120) __op(sub_group_ballot) ulong __sub_group_ballot(int predicate);
// The value of the first, and that of any.
__ext(cl_khr_subgroups) __since(120) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double) __op(sub_group_first)
sgentype __sub_group_first(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double) __op(sub_group_shuffle)
sgentype __sub_group_shuffle(sgentype x, uint from);

__ext(cl_khr_subgroups) __since(120) uint get_sub_group_id(void)
{
    return __sub_group_first((uint)__linear_id() / get_max_sub_group_size());
}
__ext(cl_khr_subgroups) __since(120) uint __sub_groups(size_t x, size_t y, size_t z)
{
    uint size = get_max_sub_group_size();
    return ((uint)(x * y * z) + size - 1) / size;
}
__ext(cl_khr_subgroups) __since(120) uint get_num_sub_groups(void)
{
    return __sub_groups(get_local_size(0), get_local_size(1), get_local_size(2));
}
__ext(cl_khr_subgroups) __since(200) uint get_enqueued_num_sub_groups(void)
{
    return __sub_groups(get_enqueued_local_size(0), get_enqueued_local_size(1), get_enqueued_local_size(2));
}
// The last one has what is left.
__ext(cl_khr_subgroups) __since(120) uint get_sub_group_size(void)
{
    uint size = get_max_sub_group_size();
    uint items = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    return min(size, items - get_sub_group_id() * size);
}

__ext(cl_khr_subgroups) __since(120) void sub_group_barrier(uint flags) { __sub_group_barrier(); }
__ext(cl_khr_subgroups) __since(200) void sub_group_barrier(uint flags, int scope) { __sub_group_barrier(); }

__ext(cl_khr_subgroups) __since(120) int sub_group_all(int predicate) { return __sub_group_ballot(!predicate) == 0; }
__ext(cl_khr_subgroups) __since(120) int sub_group_any(int predicate) { return __sub_group_ballot(predicate) != 0; }

// The id is the same for all.
__ext(cl_khr_subgroups) __since(120) __elems(char, uchar, short, ushort, int, uint, long, ulong, half, float, double) __each
gentype sub_group_broadcast(gentype x, uint local_id)
{
    return __sub_group_shuffle(x, __sub_group_first(local_id));
}

__ext(cl_khr_subgroups) __since(120) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_reduce_add)
sgentype sub_group_reduce_add(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_reduce_fadd)
sgentype sub_group_reduce_add(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_scan_add)
sgentype sub_group_scan_inclusive_add(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_scan_fadd)
sgentype sub_group_scan_inclusive_add(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, uchar, short, ushort, int, uint, long, ulong) __op(sub_group_exclusive_scan_add)
sgentype sub_group_scan_exclusive_add(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_exclusive_scan_fadd)
sgentype sub_group_scan_exclusive_add(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, short, int, long) __op(sub_group_reduce_smin)
sgentype sub_group_reduce_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(uchar, ushort, uint, ulong) __op(sub_group_reduce_umin)
sgentype sub_group_reduce_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_reduce_fmin)
sgentype sub_group_reduce_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, short, int, long) __op(sub_group_scan_smin)
sgentype sub_group_scan_inclusive_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(uchar, ushort, uint, ulong) __op(sub_group_scan_umin)
sgentype sub_group_scan_inclusive_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_scan_fmin)
sgentype sub_group_scan_inclusive_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, short, int, long) __op(sub_group_exclusive_scan_smin)
sgentype sub_group_scan_exclusive_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(uchar, ushort, uint, ulong) __op(sub_group_exclusive_scan_umin)
sgentype sub_group_scan_exclusive_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_exclusive_scan_fmin)
sgentype sub_group_scan_exclusive_min(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, short, int, long) __op(sub_group_reduce_smax)
sgentype sub_group_reduce_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(uchar, ushort, uint, ulong) __op(sub_group_reduce_umax)
sgentype sub_group_reduce_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_reduce_fmax)
sgentype sub_group_reduce_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, short, int, long) __op(sub_group_scan_smax)
sgentype sub_group_scan_inclusive_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(uchar, ushort, uint, ulong) __op(sub_group_scan_umax)
sgentype sub_group_scan_inclusive_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_scan_fmax)
sgentype sub_group_scan_inclusive_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(char, short, int, long) __op(sub_group_exclusive_scan_smax)
sgentype sub_group_scan_exclusive_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(uchar, ushort, uint, ulong) __op(sub_group_exclusive_scan_umax)
sgentype sub_group_scan_exclusive_max(sgentype x);
__ext(cl_khr_subgroups) __since(120) __elems(half, float, double) __op(sub_group_exclusive_scan_fmax)
sgentype sub_group_scan_exclusive_max(sgentype x);
