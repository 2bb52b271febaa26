// Function with a generic pointer, whose address space some work-items select only at run time.
float weigh(const float *values, int count, float weight)
{
    float sum = 0.0f;
    for (int i = 0; i < count; ++i)
        sum = sum * weight + values[i];
    return sum;
}

kernel void generic_pointers(global const float *in, global float *out, local float *tile, int count)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    float own[8];
    for (int k = 0; k < 8; ++k)
        own[k] = in[i] + k;
    tile[l] = 2.0f * in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int start = l & ~7;
    const float *chosen;
    if (in[i] > 0.5f)
        chosen = tile + start;
    else
        chosen = in + (i & ~7);
    out[i] = weigh(chosen, count, 0.5f) + weigh(own, count, 0.25f);
}
