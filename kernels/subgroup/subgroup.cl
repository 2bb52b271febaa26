// Sub-group functions (cl_khr_subgroups, OpenCL C 3.0 s6.15.19).
// The checks know these; no device of ours has sub-groups yet.

__declared __ext(cl_khr_subgroups) __since(200) uint get_sub_group_size(void);
__declared __ext(cl_khr_subgroups) __since(200) uint get_max_sub_group_size(void);
__declared __ext(cl_khr_subgroups) __since(200) uint get_num_sub_groups(void);
__declared __ext(cl_khr_subgroups) __since(200) uint get_enqueued_num_sub_groups(void);
__declared __ext(cl_khr_subgroups) __since(200) uint get_sub_group_id(void);
__declared __ext(cl_khr_subgroups) __since(200) uint get_sub_group_local_id(void);
__declared __ext(cl_khr_subgroups) __since(200) void sub_group_barrier(uint flags);
__declared __ext(cl_khr_subgroups) __since(200) void sub_group_barrier(uint flags, int scope);
__declared __ext(cl_khr_subgroups) __since(200) int sub_group_all(int predicate);
__declared __ext(cl_khr_subgroups) __since(200) int sub_group_any(int predicate);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_broadcast(sgentype x, uint local_id);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_reduce_add(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_scan_exclusive_add(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_scan_inclusive_add(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_reduce_min(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_scan_exclusive_min(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_scan_inclusive_min(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_reduce_max(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_scan_exclusive_max(sgentype x);
__declared __ext(cl_khr_subgroups) __since(200) __elems(int, uint, long, ulong, half, float, double) sgentype sub_group_scan_inclusive_max(sgentype x);
