// Tree reduction: each work-group writes one partial sum, a second launch adds the partial sums.
kernel void reduce(global const float *in, global float *out, int n, local float *tile)
{
    int l = get_local_id(0), size = get_local_size(0);
    float sum = 0.0f;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    tile[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = size / 2; half_size > 0; half_size /= 2) {
        if (l < half_size)
            tile[l] += tile[l + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}
