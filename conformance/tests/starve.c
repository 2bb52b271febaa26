/* Preloaded: allocations of one library fail when it is told so. What others allocate, the C library among them, is left
 * alone. `starve` says which code is meant and how many of its allocations still succeed; a negative number is all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic uintptr_t start, end;
static _Atomic long left = -1;
static _Atomic long refused;

/* From now on, of the allocations that are asked for by code between two addresses only so many succeed. Returns how many
 * were refused since it was last called. */
long starve(uintptr_t from, uintptr_t to, long number)
{
    start = from;
    end = to;
    left = number;
    return atomic_exchange(&refused, 0);
}

static int refuse(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (left < 0 || at < start || at >= end)
        return 0;
    long now = left;
    while (now > 0)
        if (atomic_compare_exchange_weak(&left, &now, now - 1))
            return 0;
    if (now < 0)
        return 0;
    refused++;
    errno = ENOMEM;
    return 1;
}

#define REFUSED refuse(__builtin_return_address(0))

void *malloc(size_t size)
{
    return REFUSED ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return REFUSED ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return REFUSED ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return REFUSED ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **result, size_t align, size_t size)
{
    if (REFUSED)
        return ENOMEM;
    void *made = __libc_memalign(align, size);
    if (made == NULL)
        return ENOMEM;
    *result = made;
    return 0;
}
