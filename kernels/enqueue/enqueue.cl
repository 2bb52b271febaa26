// Device-side enqueue, s6.13.17: queues, events, ranges, blocks that become kernels.

__since(200) typedef uint kernel_enqueue_flags_t;
__since(200) typedef int clk_profiling_info;

__ext(device_enqueue) __since(200) __op(device_default_queue) queue_t get_default_queue(void);
__ext(device_enqueue) __since(200) __op(device_marker)
int enqueue_marker(queue_t queue, uint count, __any const clk_event_t *waits, __any clk_event_t *event);
__ext(device_enqueue) __since(200) __op(device_retain) void retain_event(clk_event_t event);
__ext(device_enqueue) __since(200) __op(device_release) void release_event(clk_event_t event);
__ext(device_enqueue) __since(200) __op(device_user_event) clk_event_t create_user_event(void);
__ext(device_enqueue) __since(200) __op(device_is_event) bool is_valid_event(clk_event_t event);
__ext(device_enqueue) __since(200) __op(device_set_status) void set_user_event_status(clk_event_t event, int status);
__ext(device_enqueue) __since(200) __op(device_profile)
void capture_event_profiling_info(clk_event_t event, int name, global void *value);

// A range is the number of dimensions, then three offsets, three global and three local sizes; where no local size is
// given, it is 0.
__ext(device_enqueue) __since(200)
ndrange_t __nd_range(uint dimensions, ulong3 offset, ulong3 global_size, ulong3 local_size)
{
    ndrange_t range;
    private ulong *words = (private ulong *)&range;
    words[0] = dimensions;
    vstore3(offset, 0, words + 1);
    vstore3(global_size, 1, words + 1);
    vstore3(local_size, 2, words + 1);
    return range;
}

__ext(device_enqueue) __since(200) ndrange_t ndrange_1D(size_t global_size)
{
    return __nd_range(1, 0, (ulong3)(global_size, 1, 1), 0);
}
__ext(device_enqueue) __since(200) ndrange_t ndrange_1D(size_t global_size, size_t local_size)
{
    return __nd_range(1, 0, (ulong3)(global_size, 1, 1), (ulong3)(local_size, 1, 1));
}
__ext(device_enqueue) __since(200)
ndrange_t ndrange_1D(size_t global_offset, size_t global_size, size_t local_size)
{
    return __nd_range(1, (ulong3)(global_offset, 0, 0), (ulong3)(global_size, 1, 1), (ulong3)(local_size, 1, 1));
}

__ext(device_enqueue) __since(200) ndrange_t ndrange_2D(__any const ulong *global_size)
{
    return __nd_range(2, 0, (ulong3)(global_size[0], global_size[1], 1), 0);
}
__ext(device_enqueue) __since(200)
ndrange_t ndrange_2D(__any const ulong *global_size, __any const ulong *local_size)
{
    return __nd_range(2, 0, (ulong3)(global_size[0], global_size[1], 1), (ulong3)(local_size[0], local_size[1], 1));
}
__ext(device_enqueue) __since(200)
ndrange_t ndrange_2D(__any const ulong *global_offset, __any const ulong *global_size, __any const ulong *local_size)
{
    return __nd_range(2, (ulong3)(global_offset[0], global_offset[1], 0),
        (ulong3)(global_size[0], global_size[1], 1), (ulong3)(local_size[0], local_size[1], 1));
}

__ext(device_enqueue) __since(200) ndrange_t ndrange_3D(__any const ulong *global_size)
{
    return __nd_range(3, 0, vload3(0, global_size), 0);
}
__ext(device_enqueue) __since(200)
ndrange_t ndrange_3D(__any const ulong *global_size, __any const ulong *local_size)
{
    return __nd_range(3, 0, vload3(0, global_size), vload3(0, local_size));
}
__ext(device_enqueue) __since(200)
ndrange_t ndrange_3D(__any const ulong *global_offset, __any const ulong *global_size, __any const ulong *local_size)
{
    return __nd_range(3, vload3(0, global_offset), vload3(0, global_size), vload3(0, local_size));
}

__ext(device_enqueue) __since(200) __op(device_enqueue)
int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, __block block);
__ext(device_enqueue) __since(200) __op(device_enqueue_after)
int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, uint count, __any const clk_event_t *waits,
    __any clk_event_t *event, __block block);
__ext(device_enqueue) __since(200) __op(device_enqueue)
int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, __local_block block, ...);
__ext(device_enqueue) __since(200) __op(device_enqueue_after)
int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, uint count, __any const clk_event_t *waits,
    __any clk_event_t *event, __local_block block, ...);

// Blocks have no attributes, and what memory they need does not depend on the size of a group.
__op(max_work_group_size) uint __max_work_group_size(void);
__op(work_group_multiple) uint __work_group_multiple(void);
__ext(device_enqueue) __since(200) uint get_kernel_work_group_size(__block block) { return __max_work_group_size(); }
__ext(device_enqueue) __since(200) uint get_kernel_work_group_size(__local_block block) { return __max_work_group_size(); }
__ext(device_enqueue) __since(200) uint get_kernel_preferred_work_group_size_multiple(__block block)
{
    return __work_group_multiple();
}
__ext(device_enqueue) __since(200) uint get_kernel_preferred_work_group_size_multiple(__local_block block)
{
    return __work_group_multiple();
}

__ext(device_enqueue, cl_khr_subgroups) __since(200) __op(device_sub_group_count)
uint get_kernel_sub_group_count_for_ndrange(ndrange_t range, __block block);
__ext(device_enqueue, cl_khr_subgroups) __since(200) __op(device_sub_group_count)
uint get_kernel_sub_group_count_for_ndrange(ndrange_t range, __local_block block);
__ext(device_enqueue, cl_khr_subgroups) __since(200) __op(device_sub_group_size)
uint get_kernel_max_sub_group_size_for_ndrange(ndrange_t range, __block block);
__ext(device_enqueue, cl_khr_subgroups) __since(200) __op(device_sub_group_size)
uint get_kernel_max_sub_group_size_for_ndrange(ndrange_t range, __local_block block);
