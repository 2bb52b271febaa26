// Device-side enqueue, s6.13.17: queues, events, ranges.
// The checks know these; no device of ours enqueues yet.

__since(200) typedef uint kernel_enqueue_flags_t;
__since(200) typedef int clk_profiling_info;

__declared __ext(device_enqueue) __since(200) queue_t get_default_queue(void);
__declared __ext(device_enqueue) __since(200) int enqueue_marker(queue_t queue, uint count, __any const clk_event_t *waits, __any clk_event_t *event);
__declared __ext(device_enqueue) __since(200) void retain_event(clk_event_t event);
__declared __ext(device_enqueue) __since(200) void release_event(clk_event_t event);
__declared __ext(device_enqueue) __since(200) clk_event_t create_user_event(void);
__declared __ext(device_enqueue) __since(200) bool is_valid_event(clk_event_t event);
__declared __ext(device_enqueue) __since(200) void set_user_event_status(clk_event_t event, int status);
__declared __ext(device_enqueue) __since(200) void capture_event_profiling_info(clk_event_t event, int name, global void *value);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_1D(size_t global_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_1D(size_t global_size, size_t local_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_1D(size_t global_offset, size_t global_size, size_t local_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_2D(__any const ulong *global_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_2D(__any const ulong *global_size, __any const ulong *local_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_2D(__any const ulong *global_offset, __any const ulong *global_size,
                     __any const ulong *local_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_3D(__any const ulong *global_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_3D(__any const ulong *global_size, __any const ulong *local_size);
__declared __ext(device_enqueue) __since(200) ndrange_t ndrange_3D(__any const ulong *global_offset, __any const ulong *global_size,
                     __any const ulong *local_size);

__declared __ext(device_enqueue) __since(200) int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, __block block);
__declared __ext(device_enqueue) __since(200) int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, uint count,
                   __any const clk_event_t *waits, __any clk_event_t *event, __block block);
__declared __ext(device_enqueue) __since(200) int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, __local_block block, ...);
__declared __ext(device_enqueue) __since(200) int enqueue_kernel(queue_t queue, uint flags, ndrange_t range, uint count,
                   __any const clk_event_t *waits, __any clk_event_t *event, __local_block block, ...);
__declared __ext(device_enqueue) __since(200) uint get_kernel_work_group_size(__block block);
__declared __ext(device_enqueue) __since(200) uint get_kernel_work_group_size(__local_block block);
__declared __ext(device_enqueue) __since(200) uint get_kernel_preferred_work_group_size_multiple(__block block);
__declared __ext(device_enqueue) __since(200) uint get_kernel_preferred_work_group_size_multiple(__local_block block);
__declared __ext(device_enqueue, cl_khr_subgroups) __since(200) uint get_kernel_sub_group_count_for_ndrange(ndrange_t range, __block block);
__declared __ext(device_enqueue, cl_khr_subgroups) __since(200) uint get_kernel_sub_group_count_for_ndrange(ndrange_t range, __local_block block);
__declared __ext(device_enqueue, cl_khr_subgroups) __since(200) uint get_kernel_max_sub_group_size_for_ndrange(ndrange_t range, __block block);
__declared __ext(device_enqueue, cl_khr_subgroups) __since(200) uint get_kernel_max_sub_group_size_for_ndrange(ndrange_t range, __local_block block);
