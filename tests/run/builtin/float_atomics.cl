// Atomic operations on floating-point numbers (cl_ext_float_atomics) in global, local and generic memory.
// options: -cl-std=CL2.0
// run: sums global=64 local=8 args: float[4] = 0.5 1 100 -100; double[4] = 0.5 1 100 -100; half[4] = 0.5 1 100 -100; local 4; local 8; local 2
// expect: 0 = 2016.5 -2015 -0.5 63
// expect: 1 = 2016.5 -2015 -0.5 63
// expect: 2 = 64.5 -63 -0.5 63
// run: local_sums global=16 local=8 args: float[2] = 0 0; double[2] = 0 0; half[2] = 0 0
// expect: 0 = 12.5 12.5
// expect: 1 = 12.5 12.5
// expect: 2 = 12.5 12.5
// run: old global=1 local=1 args: float[10] = 0 ...; double[10] = 0 ...; half[10] = 0 ...
// expect: 0 = 1 3.5 2.5 2.5 -1 -1 7 7 3 9
// expect: 1 = 1 3.5 2.5 2.5 -1 -1 7 7 3 9
// expect: 2 = 1 3.5 2.5 2.5 -1 -1 7 7 3 9
// run: numbers global=1 local=1 args: float[6] = 0 ...; double[6] = 0 ...; half[6] = 0 ...
// expect: 0 = 2 2 2 2 -inf inf
// expect: 1 = 2 2 2 2 -inf inf
// expect: 2 = 2 2 2 2 -inf inf
// run: halves global=16 local=8 args: half[3] = 0.25 0 0; half[16] = 1 ...
// expect: 0 = 1.5 1.5 1
#ifndef cl_ext_float_atomics
#error no macro
#endif
#if !(__opencl_c_ext_fp32_global_atomic_add && __opencl_c_ext_fp32_local_atomic_add \
    && __opencl_c_ext_fp32_global_atomic_min_max && __opencl_c_ext_fp32_local_atomic_min_max \
    && __opencl_c_ext_fp64_global_atomic_add && __opencl_c_ext_fp64_local_atomic_add \
    && __opencl_c_ext_fp64_global_atomic_min_max && __opencl_c_ext_fp64_local_atomic_min_max \
    && __opencl_c_ext_fp16_global_atomic_add && __opencl_c_ext_fp16_local_atomic_add \
    && __opencl_c_ext_fp16_global_atomic_min_max && __opencl_c_ext_fp16_local_atomic_min_max \
    && __opencl_c_ext_fp16_global_atomic_load_store && __opencl_c_ext_fp16_local_atomic_load_store)
#error a feature is missing
#endif

#define SUMS(T, a, x) \
    atomic_fetch_add((volatile global atomic_##T *)a, (T)(x)); \
    atomic_fetch_sub_explicit((volatile global atomic_##T *)a + 1, (T)(x), memory_order_relaxed); \
    atomic_fetch_min_explicit((global atomic_##T *)a + 2, (T)i - (T)0.5f, memory_order_relaxed, memory_scope_work_group); \
    atomic_fetch_max((atomic_##T *)(a + 3), (T)i)

kernel void sums(global float *f, global double *d, global half *h, local float *lf, local double *ld, local half *lh)
{
    int i = get_global_id(0);
    SUMS(float, f, i);
    SUMS(double, d, i);
    SUMS(half, h, 1);
}

#define LOCAL_SUMS(T, to) \
    local atomic_##T t##T; \
    if (get_local_id(0) == 0) \
        atomic_init(&t##T, 10); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    atomic_fetch_add(&t##T, (T)0.5f); \
    atomic_fetch_sub_explicit((atomic_##T *)&t##T, (T)0.25f, memory_order_relaxed, memory_scope_work_group); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    atomic_fetch_min_explicit(&t##T, (T)get_local_id(0) + 12, memory_order_relaxed); \
    atomic_fetch_max_explicit(&t##T, (T)(get_local_id(0) / 2 == 0 ? 12.5f : 3), memory_order_relaxed); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    if (get_local_id(0) == 0) \
        to[get_group_id(0)] = atomic_load(&t##T)

kernel void local_sums(global float *f, global double *d, global half *h)
{
    LOCAL_SUMS(float, f);
    LOCAL_SUMS(double, d);
    LOCAL_SUMS(half, h);
}

#define OLD(T, to) \
    global atomic_##T *a##T = (global atomic_##T *)to; \
    atomic_store(a##T, 1); \
    T o0##T = atomic_fetch_add(a##T, (T)2.5f), o1##T = atomic_fetch_sub(a##T, (T)1); \
    T o2##T = atomic_fetch_min(a##T, (T)4), o3##T = atomic_fetch_min(a##T, (T)-1); \
    T o4##T = atomic_fetch_max(a##T, (T)-3), o5##T = atomic_fetch_max(a##T, (T)7); \
    T o6##T = atomic_exchange(a##T, (T)7), o7##T = atomic_exchange_explicit(a##T, (T)3, memory_order_acq_rel); \
    T o8##T = atomic_load_explicit(a##T, memory_order_acquire, memory_scope_device); \
    atomic_store_explicit(a##T, 9, memory_order_release, memory_scope_device); \
    to[9] = atomic_load(a##T); \
    to[0] = o0##T, to[1] = o1##T, to[2] = o2##T, to[3] = o3##T, to[4] = o4##T; \
    to[5] = o5##T, to[6] = o6##T, to[7] = o7##T, to[8] = o8##T

kernel void old(global float *f, global double *d, global half *h)
{
    OLD(float, f);
    OLD(double, d);
    OLD(half, h);
}

// A NaN is no minimum and no maximum.
#define NUMBERS(T, to) \
    for (int i = 0; i < 6; i++) \
        atomic_init((global atomic_##T *)to + i, i % 2 == 0 ? (T)2 : (T)NAN); \
    atomic_fetch_min((global atomic_##T *)to, (T)NAN); \
    atomic_fetch_min((global atomic_##T *)to + 1, (T)2); \
    atomic_fetch_max((global atomic_##T *)to + 2, (T)NAN); \
    atomic_fetch_max((global atomic_##T *)to + 3, (T)2); \
    atomic_fetch_add((global atomic_##T *)to + 4, (T)-INFINITY); \
    atomic_fetch_max((global atomic_##T *)to + 5, (T)INFINITY)

kernel void numbers(global float *f, global double *d, global half *h)
{
    NUMBERS(float, f);
    NUMBERS(double, d);
    NUMBERS(half, h);
}

kernel void halves(global half *out, global const half *in)
{
    local atomic_half t;
    int i = get_global_id(0);
    if (get_local_id(0) == 0)
        atomic_store(&t, 0.5h);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&t, in[i] / 8, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_store_explicit((global atomic_half *)out + get_group_id(0), atomic_load_explicit(&t, memory_order_relaxed),
            memory_order_relaxed);
        atomic_exchange_explicit((global atomic_half *)out + 2, 1.0h, memory_order_relaxed, memory_scope_device);
    }
}
