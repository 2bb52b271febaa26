// cl_intel_subgroups, cl_intel_subgroups_char, cl_intel_subgroups_short, cl_intel_subgroups_long: shuffles of one and of two
// values, blocks of memory and of images, and sums of small integers. What the first has in common with cl_khr_subgroups is
// in subgroup.cl.

__ext(cl_intel_subgroups) __since(120) __each gentype intel_sub_group_shuffle(gentype data, uint index) { return __sub_group_shuffle(data, index); }
__ext(cl_intel_subgroups) __since(120) __each gentype intel_sub_group_shuffle_xor(gentype data, uint mask)
{
    return __sub_group_shuffle(data, get_sub_group_local_id() ^ mask);
}
// Two values of each work-item, side by side.
__ext(cl_intel_subgroups) __since(120) __each gentype intel_sub_group_shuffle_up(gentype previous, gentype current, uint delta)
{
    uint from = get_sub_group_local_id() - delta;
    gentype before = __sub_group_shuffle(previous, from + get_max_sub_group_size());
    gentype here = __sub_group_shuffle(current, from);
    return (int)from < 0 ? before : here;
}
__ext(cl_intel_subgroups) __since(120) __each gentype intel_sub_group_shuffle_down(gentype current, gentype next, uint delta)
{
    uint from = get_sub_group_local_id() + delta, size = get_max_sub_group_size();
    gentype here = __sub_group_shuffle(current, from);
    gentype behind = __sub_group_shuffle(next, from - size);
    return from < size ? here : behind;
}

__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_broadcast(sgentype x, uint local_id) { return sub_group_broadcast(x, local_id); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_reduce_add(sgentype x) { return sub_group_reduce_add(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_reduce_min(sgentype x) { return sub_group_reduce_min(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_reduce_max(sgentype x) { return sub_group_reduce_max(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_scan_exclusive_add(sgentype x) { return sub_group_scan_exclusive_add(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_scan_exclusive_min(sgentype x) { return sub_group_scan_exclusive_min(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_scan_exclusive_max(sgentype x) { return sub_group_scan_exclusive_max(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_scan_inclusive_add(sgentype x) { return sub_group_scan_inclusive_add(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_scan_inclusive_min(sgentype x) { return sub_group_scan_inclusive_min(x); }
__ext(cl_intel_subgroups) __since(120) __elems(char, uchar, short, ushort)
sgentype intel_sub_group_scan_inclusive_max(sgentype x) { return sub_group_scan_inclusive_max(x); }

// Pointers, and places in bytes, are the same for all work-items of a sub-group.

__ext(cl_intel_subgroups) __since(120) uint intel_sub_group_block_read(const global uint *p) { return __block_read1(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write(global uint *p, uint data) { __block_write1(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint intel_sub_group_block_read(__reads image2d_t image, int2 at) { return __image_block_read_uint(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write(__writes image2d_t image, int2 at, uint data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups) __since(120) uint2 intel_sub_group_block_read2(const global uint *p) { return __block_read2(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write2(global uint *p, uint2 data) { __block_write2(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint2 intel_sub_group_block_read2(__reads image2d_t image, int2 at) { return __image_block_read_uint2(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write2(__writes image2d_t image, int2 at, uint2 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups) __since(120) uint4 intel_sub_group_block_read4(const global uint *p) { return __block_read4(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write4(global uint *p, uint4 data) { __block_write4(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint4 intel_sub_group_block_read4(__reads image2d_t image, int2 at) { return __image_block_read_uint4(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write4(__writes image2d_t image, int2 at, uint4 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups) __since(120) uint8 intel_sub_group_block_read8(const global uint *p) { return __block_read8(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write8(global uint *p, uint8 data) { __block_write8(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint8 intel_sub_group_block_read8(__reads image2d_t image, int2 at) { return __image_block_read_uint8(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write8(__writes image2d_t image, int2 at, uint8 data) { __image_block_write(image, at, data); }

// The names of cl_intel_subgroups_char and the other two.

__ext(cl_intel_subgroups) __since(120) uint intel_sub_group_block_read_ui(const global uint *p) { return __block_read1(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui(global uint *p, uint data) { __block_write1(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint intel_sub_group_block_read_ui(__reads image2d_t image, int2 at) { return __image_block_read_uint(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui(__writes image2d_t image, int2 at, uint data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups) __since(120) uint2 intel_sub_group_block_read_ui2(const global uint *p) { return __block_read2(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui2(global uint *p, uint2 data) { __block_write2(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint2 intel_sub_group_block_read_ui2(__reads image2d_t image, int2 at) { return __image_block_read_uint2(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui2(__writes image2d_t image, int2 at, uint2 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups) __since(120) uint4 intel_sub_group_block_read_ui4(const global uint *p) { return __block_read4(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui4(global uint *p, uint4 data) { __block_write4(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint4 intel_sub_group_block_read_ui4(__reads image2d_t image, int2 at) { return __image_block_read_uint4(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui4(__writes image2d_t image, int2 at, uint4 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups) __since(120) uint8 intel_sub_group_block_read_ui8(const global uint *p) { return __block_read8(p); }
__ext(cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui8(global uint *p, uint8 data) { __block_write8(p, data); }
__ext(images, cl_intel_subgroups) __since(120) uint8 intel_sub_group_block_read_ui8(__reads image2d_t image, int2 at) { return __image_block_read_uint8(image, at); }
__ext(images, cl_intel_subgroups) __since(120) void intel_sub_group_block_write_ui8(__writes image2d_t image, int2 at, uint8 data) { __image_block_write(image, at, data); }

__ext(cl_intel_subgroups_char) __since(120) uchar intel_sub_group_block_read_uc(const global uchar *p) { return __block_read1(p); }
__ext(cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc(global uchar *p, uchar data) { __block_write1(p, data); }
__ext(images, cl_intel_subgroups_char) __since(120) uchar intel_sub_group_block_read_uc(__reads image2d_t image, int2 at) { return __image_block_read_uchar(image, at); }
__ext(images, cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc(__writes image2d_t image, int2 at, uchar data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_char) __since(120) uchar2 intel_sub_group_block_read_uc2(const global uchar *p) { return __block_read2(p); }
__ext(cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc2(global uchar *p, uchar2 data) { __block_write2(p, data); }
__ext(images, cl_intel_subgroups_char) __since(120) uchar2 intel_sub_group_block_read_uc2(__reads image2d_t image, int2 at) { return __image_block_read_uchar2(image, at); }
__ext(images, cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc2(__writes image2d_t image, int2 at, uchar2 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_char) __since(120) uchar4 intel_sub_group_block_read_uc4(const global uchar *p) { return __block_read4(p); }
__ext(cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc4(global uchar *p, uchar4 data) { __block_write4(p, data); }
__ext(images, cl_intel_subgroups_char) __since(120) uchar4 intel_sub_group_block_read_uc4(__reads image2d_t image, int2 at) { return __image_block_read_uchar4(image, at); }
__ext(images, cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc4(__writes image2d_t image, int2 at, uchar4 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_char) __since(120) uchar8 intel_sub_group_block_read_uc8(const global uchar *p) { return __block_read8(p); }
__ext(cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc8(global uchar *p, uchar8 data) { __block_write8(p, data); }
__ext(images, cl_intel_subgroups_char) __since(120) uchar8 intel_sub_group_block_read_uc8(__reads image2d_t image, int2 at) { return __image_block_read_uchar8(image, at); }
__ext(images, cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc8(__writes image2d_t image, int2 at, uchar8 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_char) __since(120) uchar16 intel_sub_group_block_read_uc16(const global uchar *p) { return __block_read16(p); }
__ext(cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc16(global uchar *p, uchar16 data) { __block_write16(p, data); }
__ext(images, cl_intel_subgroups_char) __since(120) uchar16 intel_sub_group_block_read_uc16(__reads image2d_t image, int2 at) { return __image_block_read_uchar16(image, at); }
__ext(images, cl_intel_subgroups_char) __since(120) void intel_sub_group_block_write_uc16(__writes image2d_t image, int2 at, uchar16 data) { __image_block_write(image, at, data); }

__ext(cl_intel_subgroups_short) __since(120) ushort intel_sub_group_block_read_us(const global ushort *p) { return __block_read1(p); }
__ext(cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us(global ushort *p, ushort data) { __block_write1(p, data); }
__ext(images, cl_intel_subgroups_short) __since(120) ushort intel_sub_group_block_read_us(__reads image2d_t image, int2 at) { return __image_block_read_ushort(image, at); }
__ext(images, cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us(__writes image2d_t image, int2 at, ushort data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_short) __since(120) ushort2 intel_sub_group_block_read_us2(const global ushort *p) { return __block_read2(p); }
__ext(cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us2(global ushort *p, ushort2 data) { __block_write2(p, data); }
__ext(images, cl_intel_subgroups_short) __since(120) ushort2 intel_sub_group_block_read_us2(__reads image2d_t image, int2 at) { return __image_block_read_ushort2(image, at); }
__ext(images, cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us2(__writes image2d_t image, int2 at, ushort2 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_short) __since(120) ushort4 intel_sub_group_block_read_us4(const global ushort *p) { return __block_read4(p); }
__ext(cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us4(global ushort *p, ushort4 data) { __block_write4(p, data); }
__ext(images, cl_intel_subgroups_short) __since(120) ushort4 intel_sub_group_block_read_us4(__reads image2d_t image, int2 at) { return __image_block_read_ushort4(image, at); }
__ext(images, cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us4(__writes image2d_t image, int2 at, ushort4 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_short) __since(120) ushort8 intel_sub_group_block_read_us8(const global ushort *p) { return __block_read8(p); }
__ext(cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us8(global ushort *p, ushort8 data) { __block_write8(p, data); }
__ext(images, cl_intel_subgroups_short) __since(120) ushort8 intel_sub_group_block_read_us8(__reads image2d_t image, int2 at) { return __image_block_read_ushort8(image, at); }
__ext(images, cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us8(__writes image2d_t image, int2 at, ushort8 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_short) __since(120) ushort16 intel_sub_group_block_read_us16(const global ushort *p) { return __block_read16(p); }
__ext(cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us16(global ushort *p, ushort16 data) { __block_write16(p, data); }
__ext(images, cl_intel_subgroups_short) __since(120) ushort16 intel_sub_group_block_read_us16(__reads image2d_t image, int2 at) { return __image_block_read_ushort16(image, at); }
__ext(images, cl_intel_subgroups_short) __since(120) void intel_sub_group_block_write_us16(__writes image2d_t image, int2 at, ushort16 data) { __image_block_write(image, at, data); }

__ext(cl_intel_subgroups_long) __since(120) ulong intel_sub_group_block_read_ul(const global ulong *p) { return __block_read1(p); }
__ext(cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul(global ulong *p, ulong data) { __block_write1(p, data); }
__ext(images, cl_intel_subgroups_long) __since(120) ulong intel_sub_group_block_read_ul(__reads image2d_t image, int2 at) { return __image_block_read_ulong(image, at); }
__ext(images, cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul(__writes image2d_t image, int2 at, ulong data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_long) __since(120) ulong2 intel_sub_group_block_read_ul2(const global ulong *p) { return __block_read2(p); }
__ext(cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul2(global ulong *p, ulong2 data) { __block_write2(p, data); }
__ext(images, cl_intel_subgroups_long) __since(120) ulong2 intel_sub_group_block_read_ul2(__reads image2d_t image, int2 at) { return __image_block_read_ulong2(image, at); }
__ext(images, cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul2(__writes image2d_t image, int2 at, ulong2 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_long) __since(120) ulong4 intel_sub_group_block_read_ul4(const global ulong *p) { return __block_read4(p); }
__ext(cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul4(global ulong *p, ulong4 data) { __block_write4(p, data); }
__ext(images, cl_intel_subgroups_long) __since(120) ulong4 intel_sub_group_block_read_ul4(__reads image2d_t image, int2 at) { return __image_block_read_ulong4(image, at); }
__ext(images, cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul4(__writes image2d_t image, int2 at, ulong4 data) { __image_block_write(image, at, data); }
__ext(cl_intel_subgroups_long) __since(120) ulong8 intel_sub_group_block_read_ul8(const global ulong *p) { return __block_read8(p); }
__ext(cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul8(global ulong *p, ulong8 data) { __block_write8(p, data); }
__ext(images, cl_intel_subgroups_long) __since(120) ulong8 intel_sub_group_block_read_ul8(__reads image2d_t image, int2 at) { return __image_block_read_ulong8(image, at); }
__ext(images, cl_intel_subgroups_long) __since(120) void intel_sub_group_block_write_ul8(__writes image2d_t image, int2 at, ulong8 data) { __image_block_write(image, at, data); }
