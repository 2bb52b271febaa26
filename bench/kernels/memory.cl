// Atomic operations and async copies for the benchmark `memory`.

// Histogram of 256 bins: one per work-group in local memory, summed at the end, or one for all work-groups.
kernel void histogram_local(global const uint *bin, volatile global uint *out)
{
    local uint bins[256];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 16; i++)
        atomic_inc(&bins[bin[get_group_id(0) * 16 * get_local_size(0) + i * get_local_size(0) + get_local_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        atomic_add(&out[i], bins[i]);
}

kernel void histogram_global(global const uint *bin, volatile global uint *out)
{
    atomic_inc(&out[bin[get_global_id(0)]]);
}

kernel void count(volatile global uint *out)
{
    atomic_inc(out);
}

// The kernel uses the old value: all values together are each number once.
kernel void tickets(volatile global uint *out, global uint *ticket)
{
    ticket[get_global_id(0)] = atomic_inc(out);
}

kernel void cmpxchg(volatile global uint *out)
{
    uint old = *out, seen;
    while ((seen = atomic_cmpxchg(out, old, old + 1)) != old)
        old = seen;
}

// Adds 1 to one float from each work-item, or to the float of the work-item's bin.
kernel void float_add(global const uint *bin, volatile global uint *out)
{
    volatile global uint *to = out + bin[get_global_id(0)];
    uint old = *to, seen;
    while ((seen = atomic_cmpxchg(to, old, as_uint(as_float(old) + 1.0f))) != old)
        old = seen;
}

#ifdef ORDERED
#define ORDERED_ATOMICS(name, type, order)                                                                    \
    kernel void add_##name##_##order(global atomic_##type *to, global atomic_##type *all)                     \
    {                                                                                                         \
        atomic_fetch_add_explicit(all, (type)1, memory_order_##order, memory_scope_device);                   \
    }                                                                                                         \
    kernel void spread_##name##_##order(global atomic_##type *to, global atomic_##type *all)                  \
    {                                                                                                         \
        atomic_fetch_add_explicit(to + get_global_id(0), (type)1, memory_order_##order, memory_scope_device); \
    }                                                                                                         \
    kernel void exchange_##name##_##order(global atomic_##type *to, global atomic_##type *all)                \
    {                                                                                                         \
        atomic_exchange_explicit(to + get_global_id(0), (type)7, memory_order_##order, memory_scope_device);  \
    }                                                                                                         \
    kernel void cas_##name##_##order(global atomic_##type *to, global atomic_##type *all)                     \
    {                                                                                                         \
        type old = 0;                                                                                         \
        while (!atomic_compare_exchange_strong_explicit(to + get_global_id(0), &old, old + 1,                 \
                                                        memory_order_##order, memory_order_##order,           \
                                                        memory_scope_device))                                 \
            ;                                                                                                 \
    }                                                                                                         \
    kernel void store_##name##_##order(global atomic_##type *to, global atomic_##type *all)                   \
    {                                                                                                         \
        atomic_store_explicit(to + get_global_id(0), (type)7, memory_order_##order, memory_scope_device);     \
    }                                                                                                         \
    kernel void load_##name##_##order(global atomic_##type *to, global atomic_##type *all)                    \
    {                                                                                                         \
        type sum = 0;                                                                                         \
        for (int i = 0; i < 8; i++)                                                                           \
            sum += atomic_load_explicit(to + (get_global_id(0) ^ i), memory_order_##order,                    \
                                        memory_scope_device);                                                 \
        if (sum == 1)                                                                                         \
            atomic_store(all, 9);                                                                             \
    }

ORDERED_ATOMICS(32, uint, relaxed)
ORDERED_ATOMICS(32, uint, seq_cst)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
ORDERED_ATOMICS(64, ulong, relaxed)
ORDERED_ATOMICS(64, ulong, seq_cst)
#endif

// Tile of COUNT elements that is copied REPEATED times, each time from or to the next element; each work-group has
// a span of its own.
#define COUNT 256
#define REPEATED 64

#define COPY(to, from, stride) async_work_group_copy(to, from, COUNT, 0)
#define STRIDED_COPY(to, from, stride) async_work_group_strided_copy(to, from, COUNT, stride, 0)
#define IN_AND_OUT(prefix, type, call)                                                                        \
    kernel void prefix##in_##type(global const type *from, global type *to, uint stride)                      \
    {                                                                                                         \
        local type tile[COUNT];                                                                               \
        from += get_group_id(0) * (COUNT * stride + REPEATED);                                                \
        for (int i = 0; i < REPEATED; i++) {                                                                  \
            event_t e = call(tile, from + i, stride);                                                         \
            wait_group_events(1, &e);                                                                         \
        }                                                                                                     \
        for (uint i = get_local_id(0); i < COUNT; i += get_local_size(0))                                     \
            to[get_group_id(0) * COUNT + i] = tile[i];                                                        \
    }                                                                                                         \
    kernel void prefix##out_##type(global const type *from, global type *to, uint stride)                     \
    {                                                                                                         \
        local type tile[COUNT];                                                                               \
        for (uint i = get_local_id(0); i < COUNT; i += get_local_size(0))                                     \
            tile[i] = from[get_group_id(0) * COUNT + i];                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                         \
        to += get_group_id(0) * (COUNT * stride + REPEATED);                                                  \
        for (int i = 0; i < REPEATED; i++) {                                                                  \
            event_t e = call(to + i, tile, stride);                                                           \
            wait_group_events(1, &e);                                                                         \
        }                                                                                                     \
    }
#define ASYNC_COPIES(type) IN_AND_OUT(, type, COPY) IN_AND_OUT(strided_, type, STRIDED_COPY)

ASYNC_COPIES(char)
ASYNC_COPIES(short)
ASYNC_COPIES(int)
ASYNC_COPIES(long)
ASYNC_COPIES(int4)
ASYNC_COPIES(char3)
ASYNC_COPIES(short3)
ASYNC_COPIES(int3)
ASYNC_COPIES(long3)
