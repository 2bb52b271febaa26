// s6.13.11: atomic functions of C11. Order and scope are arguments of the operations; without them it is the strongest order
// for the device. Floating types go through the integers of their size.

__since(200) __op(atomic_load)
sgentypei __atomic_load(volatile __any sgentypei *p, int order, int scope);
__since(200) __op(atomic_store)
void __atomic_store(volatile __any sgentypei *p, sgentypei value, int order, int scope);
__since(200) __op(atomic_cas)
sgentypei __atomic_cas(volatile __any sgentypei *p, sgentypei compare, sgentypei value, int order, int scope);
__since(200) __op(atomic_xchg)
sgentypei __atomic_xchg(volatile __any sgentypei *p, sgentypei value, int order, int scope);
__since(200) __op(atomic_add)
sgentypei __atomic_add(volatile __any sgentypei *p, sgentypei value, int order, int scope);
__since(200) __op(atomic_sub)
sgentypei __atomic_sub(volatile __any sgentypei *p, sgentypei value, int order, int scope);
__since(200) __op(atomic_or)
sgentypei __atomic_or(volatile __any sgentypei *p, sgentypei value, int order, int scope);
__since(200) __op(atomic_xor)
sgentypei __atomic_xor(volatile __any sgentypei *p, sgentypei value, int order, int scope);
__since(200) __op(atomic_and)
sgentypei __atomic_and(volatile __any sgentypei *p, sgentypei value, int order, int scope);
__since(200) __op(atomic_smin)
sigentype __atomic_min(volatile __any sigentype *p, sigentype value, int order, int scope);
__since(200) __op(atomic_umin)
sugentype __atomic_min(volatile __any sugentype *p, sugentype value, int order, int scope);
__since(200) __op(atomic_smax)
sigentype __atomic_max(volatile __any sigentype *p, sigentype value, int order, int scope);
__since(200) __op(atomic_umax)
sugentype __atomic_max(volatile __any sugentype *p, sugentype value, int order, int scope);

__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_init(volatile __any atomictype *object, sgentype value)
{
    *(volatile __any sgentype *)object = value;
}

__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_store(volatile __any atomictype *object, sgentype desired)
{
    __atomic_store((volatile __any sinttype *)object, as_sinttype(desired), memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_store_explicit(volatile __any atomictype *object, sgentype desired, int order)
{
    __atomic_store((volatile __any sinttype *)object, as_sinttype(desired), order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_store_explicit(volatile __any atomictype *object, sgentype desired, int order,
        int scope)
{
    __atomic_store((volatile __any sinttype *)object, as_sinttype(desired), order, scope);
}

__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_load(volatile __any atomictype *object)
{
    return as_sgentype(__atomic_load((volatile __any sinttype *)object, memory_order_seq_cst, memory_scope_device));
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_load_explicit(volatile __any atomictype *object, int order)
{
    return as_sgentype(__atomic_load((volatile __any sinttype *)object, order, memory_scope_device));
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_load_explicit(volatile __any atomictype *object, int order, int scope)
{
    return as_sgentype(__atomic_load((volatile __any sinttype *)object, order, scope));
}

__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_exchange(volatile __any atomictype *object, sgentype desired)
{
    sinttype bits = as_sinttype(desired);
    return as_sgentype(__atomic_xchg((volatile __any sinttype *)object, bits, memory_order_seq_cst, memory_scope_device));
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_exchange_explicit(volatile __any atomictype *object, sgentype desired, int order)
{
    sinttype bits = as_sinttype(desired);
    return as_sgentype(__atomic_xchg((volatile __any sinttype *)object, bits, order, memory_scope_device));
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_exchange_explicit(volatile __any atomictype *object, sgentype desired, int order,
        int scope)
{
    sinttype bits = as_sinttype(desired);
    return as_sgentype(__atomic_xchg((volatile __any sinttype *)object, bits, order, scope));
}

// One order for both outcomes: the stronger one, or both.
__since(200) int __either(int success, int failure)
{
    if (success == memory_order_release && failure == memory_order_acquire)
        return memory_order_acq_rel;
    return success > failure ? success : failure;
}

__since(200) __elems(int, uint, long, ulong, float, double)
bool __compare_exchange(volatile __any atomictype *object, __any sgentype *expected,
        sgentype desired, int order, int scope)
{
    volatile __any sinttype *p = (volatile __any sinttype *)object;
    sinttype wanted = as_sinttype(*expected);
    sinttype found = __atomic_cas(p, wanted, as_sinttype(desired), order, scope);
    if (found != wanted)
        *expected = as_sgentype(found);
    return found == wanted;
}

__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_strong(volatile __any atomictype *object, __any sgentype *expected,
        sgentype desired)
{
    return __compare_exchange(object, expected, desired, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_strong_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure)
{
    int order = __either(success, failure);
    return __compare_exchange(object, expected, desired, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_strong_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure, int scope)
{
    return __compare_exchange(object, expected, desired, __either(success, failure), scope);
}

__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_weak(volatile __any atomictype *object, __any sgentype *expected,
        sgentype desired)
{
    return __compare_exchange(object, expected, desired, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_weak_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure)
{
    int order = __either(success, failure);
    return __compare_exchange(object, expected, desired, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_weak_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure, int scope)
{
    return __compare_exchange(object, expected, desired, __either(success, failure), scope);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_add(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_add((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_add_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_add((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_add_explicit(volatile __any atomictype *object, sgentype operand,
        int order, int scope)
{
    return __atomic_add((volatile __any sgentype *)object, operand, order, scope);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_sub(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_sub((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_sub_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_sub((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_sub_explicit(volatile __any atomictype *object, sgentype operand,
        int order, int scope)
{
    return __atomic_sub((volatile __any sgentype *)object, operand, order, scope);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_or(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_or((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_or_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_or((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_or_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return __atomic_or((volatile __any sgentype *)object, operand, order, scope);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_xor(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_xor((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_xor_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_xor((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_xor_explicit(volatile __any atomictype *object, sgentype operand,
        int order, int scope)
{
    return __atomic_xor((volatile __any sgentype *)object, operand, order, scope);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_and(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_and((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_and_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_and((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_and_explicit(volatile __any atomictype *object, sgentype operand,
        int order, int scope)
{
    return __atomic_and((volatile __any sgentype *)object, operand, order, scope);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_min(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_min((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_min_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_min((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_min_explicit(volatile __any atomictype *object, sgentype operand,
        int order, int scope)
{
    return __atomic_min((volatile __any sgentype *)object, operand, order, scope);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_max(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_max((volatile __any sgentype *)object, operand, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_max_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return __atomic_max((volatile __any sgentype *)object, operand, order, memory_scope_device);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_max_explicit(volatile __any atomictype *object, sgentype operand,
        int order, int scope)
{
    return __atomic_max((volatile __any sgentype *)object, operand, order, scope);
}

__since(200) __elems(int)
bool atomic_flag_test_and_set(volatile __any atomictype *object)
{
    return __atomic_xchg((volatile __any sinttype *)object, 1, memory_order_seq_cst, memory_scope_device) != 0;
}
__since(200) __elems(int)
bool atomic_flag_test_and_set_explicit(volatile __any atomictype *object, int order)
{
    return __atomic_xchg((volatile __any sinttype *)object, 1, order, memory_scope_device) != 0;
}
__since(200) __elems(int)
bool atomic_flag_test_and_set_explicit(volatile __any atomictype *object, int order, int scope)
{
    return __atomic_xchg((volatile __any sinttype *)object, 1, order, scope) != 0;
}

__since(200) __elems(int)
void atomic_flag_clear(volatile __any atomictype *object)
{
    __atomic_store((volatile __any sinttype *)object, 0, memory_order_seq_cst, memory_scope_device);
}
__since(200) __elems(int)
void atomic_flag_clear_explicit(volatile __any atomictype *object, int order)
{
    __atomic_store((volatile __any sinttype *)object, 0, order, memory_scope_device);
}
__since(200) __elems(int)
void atomic_flag_clear_explicit(volatile __any atomictype *object, int order, int scope)
{
    __atomic_store((volatile __any sinttype *)object, 0, order, scope);
}
