// Blocks of a sub-group (cl_intel_subgroups, SPV_INTEL_subgroups): component i of each work-item is its place in row i of
// memory or of an image. intel.cl has the functions of OpenCL C.

__ext(cl_intel_subgroups) __since(120) sgentype __block_read1(const __readable sgentype *p) { return p[get_sub_group_local_id()]; }
__ext(cl_intel_subgroups) __since(120) void __block_write1(__any sgentype *p, sgentype x) { p[get_sub_group_local_id()] = x; }
__ext(cl_intel_subgroups) __since(120) gentype2 __block_read2(const __readable sgentype *p)
{
    gentype2 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 2; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_intel_subgroups) __since(120) void __block_write2(__any sgentype *p, gentype2 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 2; i++)
        p[i * size + lane] = x[i];
}
__ext(cl_intel_subgroups) __since(120) gentype4 __block_read4(const __readable sgentype *p)
{
    gentype4 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 4; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_intel_subgroups) __since(120) void __block_write4(__any sgentype *p, gentype4 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 4; i++)
        p[i * size + lane] = x[i];
}
__ext(cl_intel_subgroups) __since(120) gentype8 __block_read8(const __readable sgentype *p)
{
    gentype8 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 8; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_intel_subgroups) __since(120) void __block_write8(__any sgentype *p, gentype8 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 8; i++)
        p[i * size + lane] = x[i];
}
__ext(cl_intel_subgroups) __since(120) gentype16 __block_read16(const __readable sgentype *p)
{
    gentype16 x;
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 16; i++)
        x[i] = p[i * size + lane];
    return x;
}
__ext(cl_intel_subgroups) __since(120) void __block_write16(__any sgentype *p, gentype16 x)
{
    uint size = get_max_sub_group_size(), lane = get_sub_group_local_id();
    for (uint i = 0; i < 16; i++)
        p[i * size + lane] = x[i];
}

// Images are bytes here: a row has as many as its texels. Bytes outside are those of the texels at the edge when they are
// read, and are not written.

__ext(images) __op(image_base) global uchar *__image_base(constant void *image);

// Returns the offset of byte x of a row: that of the texel at the edge if it lies outside.
__ext(images) int __image_byte(constant void *image, int x)
{
    int size = __image_texel_size(image), last = (__image_width(image) - 1) * size, part = x & (size - 1);
    return clamp(x - part, 0, last) + part;
}
__ext(images) __outlined ulong __image_edge_read(constant void *image, const global uchar *row, int x, int size)
{
    ulong bits = 0;
    for (int i = 0; i < size; i++)
        bits |= (ulong)row[__image_byte(image, x + i)] << 8 * i;
    return bits;
}
__ext(images) __outlined void __image_edge_write(constant void *image, global uchar *row, int x, ulong bits, int size)
{
    for (int i = 0; i < size; i++, bits >>= 8)
        if (x + i >= 0 && __image_byte(image, x + i) == x + i)
            row[x + i] = (uchar)bits;
}

// The block of a row begins at a byte that is the same for all work-items.
__ext(images) bool __image_row_holds(constant void *image, int x, int bytes)
{
    return x >= 0 && x <= __image_width(image) * __image_texel_size(image) - bytes;
}
__ext(images, cl_intel_subgroups) __since(120) gentypei __image_block_read(constant void *image, int2 at, gentypei x)
{
    private sgentypei *to = (private sgentypei *)&x;
    int size = sizeof(sgentypei), mine = at.x + (int)get_sub_group_local_id() * size;
    bool is_inside = __image_row_holds(image, at.x, (int)get_max_sub_group_size() * size);
    for (int i = 0; i < vec_step(gentypei); i++) {
        int y = clamp(at.y + i, 0, __image_height(image) - 1);
        const global uchar *row = __image_base(image) + y * __image_row_pitch(image);
        if (is_inside)
            __builtin_memcpy(to + i, row + mine, sizeof(sgentypei));
        else
            to[i] = (sgentypei)__image_edge_read(image, row, mine, size);
    }
    return x;
}
__ext(images, cl_intel_subgroups) __since(120) void __image_block_write(constant void *image, int2 at, gentypei x)
{
    const private sgentypei *from = (const private sgentypei *)&x;
    int size = sizeof(sgentypei), mine = at.x + (int)get_sub_group_local_id() * size;
    bool is_inside = __image_row_holds(image, at.x, (int)get_max_sub_group_size() * size);
    for (int i = 0; i < vec_step(gentypei); i++) {
        int y = at.y + i;
        if (y < 0 || y >= __image_height(image))
            continue;
        global uchar *row = __image_base(image) + y * __image_row_pitch(image);
        if (is_inside)
            __builtin_memcpy(row + mine, from + i, sizeof(sgentypei));
        else
            __image_edge_write(image, row, mine, (ulong)from[i], size);
    }
}
__ext(images, cl_intel_subgroups) __since(120) dsti __image_block_read_##dsti(__reads image2d_t image, int2 at)
{
    return __image_block_read(__image(image), at, (dsti)0);
}
__ext(images, cl_intel_subgroups) __since(120) void __image_block_write(__writes image2d_t image, int2 at, gentypei x)
{
    __image_block_write(__image(image), at, x);
}
