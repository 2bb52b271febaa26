// options: -cl-std=CL2.0
// ranges of one, two and three dimensions, with local sizes and offsets
kernel void k(global int *g, queue_t q) {
    size_t a[2] = { 4, 4 }, b[3] = { 1, 2, 3 };
    ndrange_t r = ndrange_1D(4);
    r = ndrange_1D(4, 2);
    r = ndrange_1D(1, 4, 2);
    r = ndrange_2D(a);
    r = ndrange_2D(a, a);
    r = ndrange_3D(b, b, b);
    clk_event_t e;
    int status = enqueue_marker(get_default_queue(), 0, NULL, &e);
    if (status == CLK_SUCCESS) capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, g);
    q = get_default_queue();
}
