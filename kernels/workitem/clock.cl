// Clocks (cl_khr_kernel_clock). All scopes have one, which counts nanoseconds.

__ext(cl_khr_kernel_clock) __varies __op(clock) ulong clock_read_device();
__ext(cl_khr_kernel_clock) __varies __op(clock) ulong clock_read_work_group();
__ext(cl_khr_kernel_clock) __varies __op(clock) ulong clock_read_sub_group();

__ext(cl_khr_kernel_clock) __varies uint2 clock_read_hilo_device() { return as_uint2(clock_read_device()); }
__ext(cl_khr_kernel_clock) __varies uint2 clock_read_hilo_work_group() { return as_uint2(clock_read_device()); }
__ext(cl_khr_kernel_clock) __varies uint2 clock_read_hilo_sub_group() { return as_uint2(clock_read_device()); }
