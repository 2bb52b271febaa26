// Clocks (cl_khr_kernel_clock): they never go back, and readings are neither merged nor moved out of loops.
// run: k global=70 local=7 args: int[70] = 0 ...
// expect: 0 = 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63
// run: shared global=16 local=16 args: int[16] = 0 ...; local 8
// expect: 0 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
#if !defined(cl_khr_kernel_clock) || !defined(__opencl_c_kernel_clock_scope_device) \
    || !defined(__opencl_c_kernel_clock_scope_work_group) || !defined(__opencl_c_kernel_clock_scope_sub_group)
#error no macro
#endif

ulong both(uint2 parts) {
    return upsample(parts.hi, parts.lo);
}

kernel void k(global int *found) {
    ulong times[6];
    times[0] = clock_read_device();
    times[1] = clock_read_work_group();
    times[2] = clock_read_sub_group();
    times[3] = both(clock_read_hilo_device());
    times[4] = both(clock_read_hilo_work_group());
    times[5] = both(clock_read_hilo_sub_group());
    int result = 0;
    for (int i = 0; i < 5; ++i)
        result |= (times[i] <= times[i + 1]) << i;
    // A clock that was read once would never reach the end.
    ulong end = clock_read_device() + 1000;
    if (get_global_id(0) % 3 != 1)
        while (clock_read_device() < end)
            ;
    found[get_global_id(0)] = result | (clock_read_device() >= times[5]) << 5;
}

kernel void shared(global int *found, local ulong *time) {
    size_t i = get_local_id(0);
    ulong before = clock_read_work_group();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 5)
        *time = clock_read_work_group();
    barrier(CLK_LOCAL_MEM_FENCE);
    found[i] = before <= *time && *time <= clock_read_work_group();
}
