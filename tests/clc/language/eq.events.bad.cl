// options: -cl-std=CL2.0
// events are clk_event_t
kernel void k(global int*g){ event_t e;
    enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),0,NULL,&e,^{ g[0]=1; }); // error: no built-in function 'enqueue_kernel'
}
