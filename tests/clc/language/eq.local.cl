// options: -cl-std=CL2.0
// local void * block params have sizes
kernel void k(global int*g){ enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^(local void*a, local void*b){ local int*p=a; p[0]=1; g[0]=p[0]; },16u,get_local_size(0)); }
