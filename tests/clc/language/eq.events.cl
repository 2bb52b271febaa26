// options: -cl-std=CL2.0
// event wait list form
kernel void k(global int*g){ clk_event_t e, f; enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),0,NULL,&e,^{ g[0]=1; }); enqueue_kernel(get_default_queue(),CLK_ENQUEUE_FLAGS_NO_WAIT,ndrange_1D(1),1,&e,&f,^(local void*p){ g[0]=1; },4); release_event(e); release_event(f); }
