// options: -cl-std=CL2.0
// enqueue_kernel with block literal
kernel void k(global int*g){ int i=2; enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^{ g[0]=i; }); void (^b)(void)=^{ g[1]=i; }; enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_WAIT_KERNEL,ndrange_1D(get_kernel_work_group_size(b)),b); }
