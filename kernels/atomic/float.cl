// Atomic operations on floating-point numbers (cl_ext_float_atomics): sums and extrema of all types, and halves in memory.
// c11.cl has what OpenCL C 2.0 has. A minimum or maximum with a NaN is the other number.

__ext(cl_ext_float_atomics) __since(200) __op(atomic_fadd)
sgentypef __atomic_add(volatile __any sgentypef *p, sgentypef value, int order, int scope);
__ext(cl_ext_float_atomics) __since(200) __op(atomic_fmin)
sgentypef __atomic_min(volatile __any sgentypef *p, sgentypef value, int order, int scope);
__ext(cl_ext_float_atomics) __since(200) __op(atomic_fmax)
sgentypef __atomic_max(volatile __any sgentypef *p, sgentypef value, int order, int scope);
__ext(cl_ext_float_atomics) __since(200)
sgentypef __atomic_sub(volatile __any sgentypef *p, sgentypef value, int order, int scope)
{
    return __atomic_add(p, -value, order, scope);
}

__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_add(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_add((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_add_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_add((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_add_explicit(volatile __any atomictype *object, sgentype operand, int order, int scope)
{
    return __atomic_add((volatile __any sgentype *)object, operand, order, scope);
}

__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_sub(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_sub((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_sub_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_sub((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_sub_explicit(volatile __any atomictype *object, sgentype operand, int order, int scope)
{
    return __atomic_sub((volatile __any sgentype *)object, operand, order, scope);
}

__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_min(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_min((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_min_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_min((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_min_explicit(volatile __any atomictype *object, sgentype operand, int order, int scope)
{
    return __atomic_min((volatile __any sgentype *)object, operand, order, scope);
}

__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_max(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_max((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_max_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_max((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half, float, double)
sgentype atomic_fetch_max_explicit(volatile __any atomictype *object, sgentype operand, int order, int scope)
{
    return __atomic_max((volatile __any sgentype *)object, operand, order, scope);
}

__ext(cl_ext_float_atomics) __since(200) __elems(half)
void atomic_init(volatile __any atomictype *object, sgentype value)
{
    *(volatile __any sgentype *)object = value;
}

__ext(cl_ext_float_atomics) __since(200) __elems(half)
void atomic_store(volatile __any atomictype *object, sgentype desired)
{
    __atomic_store((volatile __any sinttype *)object, as_sinttype(desired), memory_order_seq_cst, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half)
void atomic_store_explicit(volatile __any atomictype *object, sgentype desired, int order)
{
    __atomic_store((volatile __any sinttype *)object, as_sinttype(desired), order, memory_scope_device);
}
__ext(cl_ext_float_atomics) __since(200) __elems(half)
void atomic_store_explicit(volatile __any atomictype *object, sgentype desired, int order, int scope)
{
    __atomic_store((volatile __any sinttype *)object, as_sinttype(desired), order, scope);
}

__ext(cl_ext_float_atomics) __since(200) __elems(half)
sgentype atomic_load(volatile __any atomictype *object)
{
    return as_sgentype(__atomic_load((volatile __any sinttype *)object, memory_order_seq_cst, memory_scope_device));
}
__ext(cl_ext_float_atomics) __since(200) __elems(half)
sgentype atomic_load_explicit(volatile __any atomictype *object, int order)
{
    return as_sgentype(__atomic_load((volatile __any sinttype *)object, order, memory_scope_device));
}
__ext(cl_ext_float_atomics) __since(200) __elems(half)
sgentype atomic_load_explicit(volatile __any atomictype *object, int order, int scope)
{
    return as_sgentype(__atomic_load((volatile __any sinttype *)object, order, scope));
}

__ext(cl_ext_float_atomics) __since(200) __elems(half)
sgentype atomic_exchange(volatile __any atomictype *object, sgentype desired)
{
    sinttype bits = as_sinttype(desired);
    return as_sgentype(__atomic_xchg((volatile __any sinttype *)object, bits, memory_order_seq_cst, memory_scope_device));
}
__ext(cl_ext_float_atomics) __since(200) __elems(half)
sgentype atomic_exchange_explicit(volatile __any atomictype *object, sgentype desired, int order)
{
    return as_sgentype(__atomic_xchg((volatile __any sinttype *)object, as_sinttype(desired), order, memory_scope_device));
}
__ext(cl_ext_float_atomics) __since(200) __elems(half)
sgentype atomic_exchange_explicit(volatile __any atomictype *object, sgentype desired, int order, int scope)
{
    return as_sgentype(__atomic_xchg((volatile __any sinttype *)object, as_sinttype(desired), order, scope));
}
