// s6.13.15: work-group functions. Every work-item of the group calls them.
//
// Each item puts its value into local memory; the first one goes over them in the order of
// the linear ids, so that sums of floating values are the same in every run; all take what
// they need. A barrier at the end lets the memory be used again.

// Room for the largest group (CL_DEVICE_MAX_WORK_GROUP_SIZE) and the largest type.
__since(200) local ulong *__group_values(void)
{
    local ulong values[4096];
    return values;
}

__since(200) size_t __group_size(void)
{
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

// What adds nothing to a maximum and to a minimum.
__since(200) __elems(int, uint, long, ulong) sgentype __group_least(sgentype x) { return __MIN_OF(gentype); }
__since(200) __elems(half, float, double) sgentype __group_least(sgentype x) { return -INFINITY; }
__since(200) __elems(int, uint, long, ulong) sgentype __group_most(sgentype x) { return __MAX_OF(gentype); }
__since(200) __elems(half, float, double) sgentype __group_most(sgentype x) { return INFINITY; }

__since(200) int work_group_all(int predicate) { return work_group_reduce_min((int)(predicate != 0)); }
__since(200) int work_group_any(int predicate) { return work_group_reduce_max((int)(predicate != 0)); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype __group_broadcast(sgentype x, size_t from)
{
    local gentype *values = (local gentype *)__group_values();
    if (get_local_linear_id() == from)
        values[0] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    gentype result = values[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

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

// 0 sums, 1 takes the minimum, 2 the maximum: a constant wherever it is called.
__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype __group_combine(sgentype x, sgentype y, int how)
{
    return how == 0 ? x + y : how == 1 ? min(x, y) : max(x, y);
}

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype __group_reduce(sgentype x, int how)
{
    local gentype *values = (local gentype *)__group_values();
    values[get_local_linear_id()] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_linear_id() == 0) {
        gentype all = values[0];
        for (size_t i = 1; i < __group_size(); ++i)
            all = __group_combine(all, values[i], how);
        values[0] = all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gentype result = values[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype __group_scan(sgentype x, sgentype none, int how, int inclusive)
{
    local gentype *values = (local gentype *)__group_values();
    values[get_local_linear_id()] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_linear_id() == 0) {
        gentype all = none;
        for (size_t i = 0; i < __group_size(); ++i) {
            gentype before = all;
            all = __group_combine(all, values[i], how);
            values[i] = inclusive ? all : before;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gentype result = values[get_local_linear_id()];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_reduce_add(sgentype x) { return __group_reduce(x, 0); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_scan_inclusive_add(sgentype x) { return __group_scan(x, (gentype)0, 0, 1); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_scan_exclusive_add(sgentype x) { return __group_scan(x, (gentype)0, 0, 0); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_reduce_min(sgentype x) { return __group_reduce(x, 1); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_scan_inclusive_min(sgentype x) { return __group_scan(x, __group_most(x), 1, 1); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_scan_exclusive_min(sgentype x) { return __group_scan(x, __group_most(x), 1, 0); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_reduce_max(sgentype x) { return __group_reduce(x, 2); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_scan_inclusive_max(sgentype x) { return __group_scan(x, __group_least(x), 2, 1); }

__since(200) __elems(int, uint, long, ulong, half, float, double)
sgentype work_group_scan_exclusive_max(sgentype x) { return __group_scan(x, __group_least(x), 2, 0); }
