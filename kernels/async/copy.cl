// s6.13.10: copies done once for the work-group. Counts and strides are in elements; the
// operation moves three-component vectors as four.

__gathers __op(async_copy) event_t __async_copy(local gentype *dst, const global gentype *src, ulong count,
                                                ulong dst_stride, ulong src_stride, event_t event);
__gathers __op(async_copy) event_t __async_copy(global gentype *dst, const local gentype *src, ulong count,
                                                ulong dst_stride, ulong src_stride, event_t event);
__gathers __op(wait_events) void wait_group_events(int count, const __any event_t *list);

event_t async_work_group_copy(local gentype *dst, const global gentype *src, size_t count,
                              event_t event)
{
    return __async_copy(dst, src, count, 1, 1, event);
}

event_t async_work_group_copy(global gentype *dst, const local gentype *src, size_t count,
                              event_t event)
{
    return __async_copy(dst, src, count, 1, 1, event);
}

__since(110) event_t async_work_group_strided_copy(local gentype *dst, const global gentype *src,
                                                   size_t count, size_t src_stride, event_t event)
{
    return __async_copy(dst, src, count, 1, src_stride, event);
}

__since(110) event_t async_work_group_strided_copy(global gentype *dst, const local gentype *src,
                                                   size_t count, size_t dst_stride, event_t event)
{
    return __async_copy(dst, src, count, dst_stride, 1, event);
}

// A hint; caches do well without it.
void prefetch(const global gentype *p, size_t count) { }
