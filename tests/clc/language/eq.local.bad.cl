// options: -cl-std=CL2.0
// a size for each parameter
kernel void k(global int*g){
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^(local void*a){ }); // error: the block has 1 parameters and 0 sizes
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^(local void*a){ },1,2); // error: the block has 1 parameters and 2 sizes
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^(local void*a){ },1.0f); // error: must be an integer
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^(local int*a){ },1); // error: no built-in function 'enqueue_kernel'
}
