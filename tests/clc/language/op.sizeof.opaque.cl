// options: -cl-std=CL2.0
// sizeof of opaque types is implementation-defined, not an error: what a parameter of them takes
kernel void t(global int *g, read_only image2d_t image, sampler_t s, read_only pipe int p)
{
    int sizes[sizeof(image2d_t) == 8 && sizeof(image3d_t) == 8 && sizeof(image1d_buffer_t) == 8 ? 1 : -1];
    int samplers[sizeof(sampler_t) == 4 && sizeof(s) == sizeof(sampler_t) && sizeof(image) == 8 ? 1 : -1];
    int others[sizeof(event_t) == 8 && sizeof(queue_t) == 8 && sizeof(clk_event_t) == 8 && sizeof(p) == 8 ? 1 : -1];
    g[0] = sizeof(sizes) + sizeof(samplers) + sizeof(others) + sizeof(reserve_id_t) + sizeof(ndrange_t);
}
