// options: -cl-std=CL2.0
// block params must be local pointers
kernel void k(global int*g){
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^(int a){ g[0]=1; }); // error: no built-in function 'enqueue_kernel'
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),^{ return 1; }); // error: no built-in function 'enqueue_kernel'
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,1,^{ g[0]=1; }); // error: no built-in function 'enqueue_kernel'
}
