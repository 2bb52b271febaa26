// Memory as bytes, and loads and stores past the caches, which are like others here.

__op(memory_copy) __any void *__builtin_memcpy(__any void *to, const __readable void *from, size_t bytes);
__op(memory_copy) __any void *__builtin_memmove(__any void *to, const __readable void *from, size_t bytes);
__op(memory_copy) void __builtin_memcpy_inline(__any void *to, const __readable void *from, size_t bytes);

__any void *__builtin_memset(__any void *to, int value, size_t bytes)
{
    __any uchar *p = (__any uchar *)to;
    uchar16 many = (uchar16)(uchar)value;
    size_t at = 0;
    for (; at + 16 <= bytes; at += 16)
        __vstore16(many, p + at);
    for (; at < bytes; at++)
        p[at] = (uchar)value;
    return to;
}
void __builtin_memset_inline(__any void *to, int value, size_t bytes) { __builtin_memset(to, value, bytes); }
void __builtin_bzero(__any void *to, size_t bytes) { __builtin_memset(to, 0, bytes); }

gentype __builtin_nontemporal_load(const __readable gentype *p) { return *p; }
// The value is converted to what the pointer points at.
void __builtin_nontemporal_store(gentype value, __any gentype *p) { *p = value; }
