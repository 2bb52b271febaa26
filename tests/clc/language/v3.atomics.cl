// options: -cl-std=CL3.0
// facts: cl30
// global/local overloads of C11 atomics beside generic
kernel void k(global atomic_int*a, local atomic_int*b){ atomic_fetch_add_explicit(a,1,memory_order_relaxed,memory_scope_work_group); atomic_fetch_add_explicit(b,1,memory_order_relaxed,memory_scope_work_group); }
