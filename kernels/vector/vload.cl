// s6.13.7: vectors from and to arrays of their elements, at any element's alignment. Vectors of
// three step by three.

__op(vload) gentype2 __vload2(const __readable sgentype *p);
__op(vstore) void __vstore2(gentype2 data, __any sgentype *p);

gentype2 vload2(size_t offset, const __readable sgentype *p)
{
    return __vload2(p + offset * 2);
}

void vstore2(gentype2 data, size_t offset, __any sgentype *p)
{
    __vstore2(data, p + offset * 2);
}

__since(110) __op(vload) gentype3 __vload3(const __readable sgentype *p);
__since(110) __op(vstore) void __vstore3(gentype3 data, __any sgentype *p);

__since(110) gentype3 vload3(size_t offset, const __readable sgentype *p)
{
    return __vload3(p + offset * 3);
}

__since(110) void vstore3(gentype3 data, size_t offset, __any sgentype *p)
{
    __vstore3(data, p + offset * 3);
}

__op(vload) gentype4 __vload4(const __readable sgentype *p);
__op(vstore) void __vstore4(gentype4 data, __any sgentype *p);

gentype4 vload4(size_t offset, const __readable sgentype *p)
{
    return __vload4(p + offset * 4);
}

void vstore4(gentype4 data, size_t offset, __any sgentype *p)
{
    __vstore4(data, p + offset * 4);
}

__op(vload) gentype8 __vload8(const __readable sgentype *p);
__op(vstore) void __vstore8(gentype8 data, __any sgentype *p);

gentype8 vload8(size_t offset, const __readable sgentype *p)
{
    return __vload8(p + offset * 8);
}

void vstore8(gentype8 data, size_t offset, __any sgentype *p)
{
    __vstore8(data, p + offset * 8);
}

__op(vload) gentype16 __vload16(const __readable sgentype *p);
__op(vstore) void __vstore16(gentype16 data, __any sgentype *p);

gentype16 vload16(size_t offset, const __readable sgentype *p)
{
    return __vload16(p + offset * 16);
}

void vstore16(gentype16 data, size_t offset, __any sgentype *p)
{
    __vstore16(data, p + offset * 16);
}
