// s6.13.11: atomic functions of C11. Whatever order and scope are asked for, operations are
// sequentially consistent for all devices, which is as strong as any. Floating types go through
// the integers of their size.

__since(200) __op(atomic_load) sgentypei __atomic_load(volatile __any sgentypei *p);
__since(200) __op(atomic_store) void __atomic_store(volatile __any sgentypei *p, sgentypei value);
__since(200) __op(atomic_xchg) sgentypei __atomic_xchg(volatile __any sgentypei *p,
        sgentypei value);
__since(200) __op(atomic_cas)
sgentypei __atomic_cas(volatile __any sgentypei *p, sgentypei compare, sgentypei value);
__since(200) __op(atomic_add) sgentypei __atomic_add(volatile __any sgentypei *p, sgentypei value);
__since(200) __op(atomic_sub) sgentypei __atomic_sub(volatile __any sgentypei *p, sgentypei value);
__since(200) __op(atomic_or) sgentypei __atomic_or(volatile __any sgentypei *p, sgentypei value);
__since(200) __op(atomic_xor) sgentypei __atomic_xor(volatile __any sgentypei *p, sgentypei value);
__since(200) __op(atomic_and) sgentypei __atomic_and(volatile __any sgentypei *p, sgentypei value);
__since(200) __op(atomic_smin) sigentype __atomic_min(volatile __any sigentype *p, sigentype value);
__since(200) __op(atomic_umin) sugentype __atomic_min(volatile __any sugentype *p, sugentype value);
__since(200) __op(atomic_smax) sigentype __atomic_max(volatile __any sigentype *p, sigentype value);
__since(200) __op(atomic_umax) sugentype __atomic_max(volatile __any sugentype *p, sugentype value);

__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_init(volatile __any atomictype *object, sgentype value)
{
    *(volatile __any sgentype *)object = value;
}

__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_store(volatile __any atomictype *object, sgentype desired)
{
    __atomic_store((volatile __any sinttype *)object, as_sinttype(desired));
}
__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_store_explicit(volatile __any atomictype *object, sgentype desired, int order)
{
    atomic_store(object, desired);
}
__since(200) __elems(int, uint, long, ulong, float, double)
void atomic_store_explicit(volatile __any atomictype *object, sgentype desired, int order,
        int scope)
{
    atomic_store(object, desired);
}

__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_load(volatile __any atomictype *object)
{
    return as_sgentype(__atomic_load((volatile __any sinttype *)object));
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_load_explicit(volatile __any atomictype *object, int order)
{
    return atomic_load(object);
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_load_explicit(volatile __any atomictype *object, int order, int scope)
{
    return atomic_load(object);
}

__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_exchange(volatile __any atomictype *object, sgentype desired)
{
    return as_sgentype(__atomic_xchg((volatile __any sinttype *)object, as_sinttype(desired)));
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_exchange_explicit(volatile __any atomictype *object, sgentype desired, int order)
{
    return atomic_exchange(object, desired);
}
__since(200) __elems(int, uint, long, ulong, float, double)
sgentype atomic_exchange_explicit(volatile __any atomictype *object, sgentype desired, int order,
        int scope)
{
    return atomic_exchange(object, desired);
}

__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_strong(volatile __any atomictype *object, __any sgentype *expected,
        sgentype desired)
{
    sinttype wanted = as_sinttype(*expected);
    sinttype found = __atomic_cas((volatile __any sinttype *)object, wanted, as_sinttype(desired));
    if (found != wanted)
        *expected = as_sgentype(found);
    return found == wanted;
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_strong_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure)
{
    return atomic_compare_exchange_strong(object, expected, desired);
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_strong_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure, int scope)
{
    return atomic_compare_exchange_strong(object, expected, desired);
}

__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_weak(volatile __any atomictype *object, __any sgentype *expected,
        sgentype desired)
{
    return atomic_compare_exchange_strong(object, expected, desired);
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_weak_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure)
{
    return atomic_compare_exchange_weak(object, expected, desired);
}
__since(200) __elems(int, uint, long, ulong, float, double)
bool atomic_compare_exchange_weak_explicit(volatile __any atomictype *object,
        __any sgentype *expected, sgentype desired, int success, int failure, int scope)
{
    return atomic_compare_exchange_weak(object, expected, desired);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_add(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_add((volatile __any sgentype *)object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_add_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return atomic_fetch_add(object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_add_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return atomic_fetch_add(object, operand);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_sub(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_sub((volatile __any sgentype *)object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_sub_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return atomic_fetch_sub(object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_sub_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return atomic_fetch_sub(object, operand);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_or(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_or((volatile __any sgentype *)object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_or_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return atomic_fetch_or(object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_or_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return atomic_fetch_or(object, operand);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_xor(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_xor((volatile __any sgentype *)object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_xor_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return atomic_fetch_xor(object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_xor_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return atomic_fetch_xor(object, operand);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_and(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_and((volatile __any sgentype *)object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_and_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return atomic_fetch_and(object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_and_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return atomic_fetch_and(object, operand);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_min(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_min((volatile __any sgentype *)object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_min_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return atomic_fetch_min(object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_min_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return atomic_fetch_min(object, operand);
}

__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_max(volatile __any atomictype *object, sgentype operand)
{
    return __atomic_max((volatile __any sgentype *)object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_max_explicit(volatile __any atomictype *object, sgentype operand, int order)
{
    return atomic_fetch_max(object, operand);
}
__since(200) __elems(int, uint, long, ulong)
sgentype atomic_fetch_max_explicit(volatile __any atomictype *object, sgentype operand, int order,
        int scope)
{
    return atomic_fetch_max(object, operand);
}

__since(200) __elems(int)
bool atomic_flag_test_and_set(volatile __any atomictype *object)
{
    return __atomic_xchg((volatile __any sinttype *)object, 1) != 0;
}
__since(200) __elems(int)
bool atomic_flag_test_and_set_explicit(volatile __any atomictype *object, int order)
{
    return atomic_flag_test_and_set(object);
}
__since(200) __elems(int)
bool atomic_flag_test_and_set_explicit(volatile __any atomictype *object, int order, int scope)
{
    return atomic_flag_test_and_set(object);
}

__since(200) __elems(int)
void atomic_flag_clear(volatile __any atomictype *object)
{
    __atomic_store((volatile __any sinttype *)object, 0);
}
__since(200) __elems(int)
void atomic_flag_clear_explicit(volatile __any atomictype *object, int order)
{
    atomic_flag_clear(object);
}
__since(200) __elems(int)
void atomic_flag_clear_explicit(volatile __any atomictype *object, int order, int scope)
{
    atomic_flag_clear(object);
}
