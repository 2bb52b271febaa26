// Every order and scope, constant and not, in every kind of atomic function. No order changes what one work-item computes.
// options: -cl-std=CL2.0
// run: k global=1 local=1 args: int[14] = 0 ...; int[8] = 0 2 3 4 5 1 -7 6; int[5] = 0 1 2 3 4
// expect: 0 = 11 8 5 1 7 9 1 1 40 4 1 8 -3 12
// run: groups global=64 local=8 args: int[4] = 0 ...; long[4] = 0 ...; float[4] = 0 ...; int = 2
// expect: 0 = 2016 64 7 63
// expect: 1 = 2016 -64 7 0
// expect: 2 = 1.5 2.5 0 0
kernel void k(global atomic_int *a, global int *order, global int *scope) {
    const int orders[] = { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel,
                           memory_order_seq_cst };
    atomic_store_explicit(a, 1, memory_order_relaxed);
    atomic_store_explicit(a, atomic_load_explicit(a, memory_order_relaxed) + 1, memory_order_release);
    atomic_store_explicit(a, atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group) + 1,
            memory_order_seq_cst, memory_scope_all_svm_devices);
    for (int i = 0; i < 8; i++)
        atomic_store_explicit(a, atomic_load_explicit(a, order[i]) + 1, order[i], scope[i % 5]);
    for (int i = 0; i < 8; i++)
        atomic_fetch_add_explicit(a + 1, 1, order[i], scope[i % 5]);
    for (int i = 0; i < 5; i++)
        atomic_fetch_add_explicit(a + 2, 1, orders[i], memory_scope_device);
    atomic_fetch_or_explicit(a + 3, 1, memory_order_acq_rel);
    atomic_exchange_explicit(a + 4, 7, memory_order_acquire, memory_scope_device);
    int expected = 0;
    atomic_compare_exchange_strong_explicit(a + 5, &expected, 9, memory_order_release, memory_order_acquire);
    bool again = atomic_compare_exchange_strong_explicit(a + 5, &expected, 10, memory_order_acq_rel,
            memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(a + 6, !again && expected == 9, memory_order_release);
    if (!atomic_flag_test_and_set_explicit(a + 7, memory_order_acquire)) {
        atomic_flag_clear_explicit(a + 7, memory_order_release, memory_scope_work_group);
        atomic_flag_test_and_set_explicit(a + 7, memory_order_relaxed);
    }
    atomic_fetch_sub_explicit(a + 8, -40, memory_order_release, memory_scope_device);
    atomic_store(a + 9, 12);
    atomic_fetch_and_explicit(a + 9, 4, memory_order_acquire);
    atomic_fetch_xor_explicit(a + 10, 1, memory_order_seq_cst);
    atomic_fetch_max_explicit(a + 11, 8, memory_order_relaxed);
    atomic_fetch_min_explicit(a + 12, -3, memory_order_relaxed, memory_scope_all_svm_devices);
    for (int i = 0; i < 8; i++)
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order[i], scope[i % 5]);
    atomic_store_explicit(a + 13, 12, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}

kernel void groups(global atomic_int *i, global atomic_long *l, global atomic_float *f, int order) {
    int id = get_global_id(0);
    atomic_fetch_add_explicit(i, id, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(i + 1, 1, order, order);
    atomic_fetch_max_explicit(i + 2, (int)get_local_id(0), memory_order_acq_rel);
    atomic_fetch_max_explicit(i + 3, id, memory_order_release, memory_scope_device);
    atomic_fetch_add_explicit(l, id, memory_order_relaxed);
    atomic_fetch_sub_explicit(l + 1, 1, memory_order_acq_rel, memory_scope_all_svm_devices);
    atomic_fetch_or_explicit(l + 2, id & 7, order);
    atomic_store_explicit(f, 1.5f, memory_order_relaxed);
    atomic_store_explicit(f + 1, 2.5f, memory_order_release, memory_scope_device);
}
