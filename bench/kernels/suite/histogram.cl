// Histogram of bytes: counted in local memory by each work-group, or in global memory by all.
kernel void by_groups(global const uchar *pixels, int n, global uint *bins)
{
    local uint counts[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0))
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[pixels[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += get_local_size(0))
        atomic_add(&bins[i], counts[i]);
}

kernel void by_all(global const uchar *pixels, global uint *bins)
{
    atomic_inc(&bins[pixels[get_global_id(0)]]);
}
