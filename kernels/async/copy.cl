// s6.13.10 and cl_khr_extended_async_copies: copies done once for the work-group. Counts and strides are in elements; the
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

// cl_khr_extended_async_copies: lines and planes, whose lengths and distances are in elements of so many bytes.

__gathers __op(async_rect) event_t __async_rect(local void *dst, const global void *src, ulong line, ulong lines, ulong planes,
                                                ulong dst_line, ulong dst_plane, ulong src_line, ulong src_plane, event_t event);
__gathers __op(async_rect) event_t __async_rect(global void *dst, const local void *src, ulong line, ulong lines, ulong planes,
                                                ulong dst_line, ulong dst_plane, ulong src_line, ulong src_plane, event_t event);

__ext(cl_khr_extended_async_copies) event_t async_work_group_copy_2D2D(local void *dst, size_t dst_offset,
    const global void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
    size_t src_total_line_length, size_t dst_total_line_length, event_t event)
{
    return async_work_group_copy_3D3D(dst, dst_offset, src, src_offset, num_bytes_per_element, num_elements_per_line, num_lines,
                                      1, src_total_line_length, 0, dst_total_line_length, 0, event);
}

__ext(cl_khr_extended_async_copies) event_t async_work_group_copy_2D2D(global void *dst, size_t dst_offset,
    const local void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
    size_t src_total_line_length, size_t dst_total_line_length, event_t event)
{
    return async_work_group_copy_3D3D(dst, dst_offset, src, src_offset, num_bytes_per_element, num_elements_per_line, num_lines,
                                      1, src_total_line_length, 0, dst_total_line_length, 0, event);
}

__ext(cl_khr_extended_async_copies) event_t async_work_group_copy_3D3D(local void *dst, size_t dst_offset,
    const global void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
    size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area, size_t dst_total_line_length,
    size_t dst_total_plane_area, event_t event)
{
    ulong size = num_bytes_per_element;
    return __async_rect((local char *)dst + dst_offset * size, (const global char *)src + src_offset * size,
                        num_elements_per_line * size, num_lines, num_planes, dst_total_line_length * size,
                        dst_total_plane_area * size, src_total_line_length * size, src_total_plane_area * size, event);
}

__ext(cl_khr_extended_async_copies) event_t async_work_group_copy_3D3D(global void *dst, size_t dst_offset,
    const local void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
    size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area, size_t dst_total_line_length,
    size_t dst_total_plane_area, event_t event)
{
    ulong size = num_bytes_per_element;
    return __async_rect((global char *)dst + dst_offset * size, (const local char *)src + src_offset * size,
                        num_elements_per_line * size, num_lines, num_planes, dst_total_line_length * size,
                        dst_total_plane_area * size, src_total_line_length * size, src_total_plane_area * size, event);
}

// A hint; caches do well without it.
void prefetch(const global gentype *p, size_t count) { }
