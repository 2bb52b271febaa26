// Filter with the same weights for all work-items, over an image with a margin.
kernel void convolve(global const float *from, global float *to, constant float *filter, int side, int pitch)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i)
            sum += filter[j * side + i] * from[(y + j) * pitch + x + i];
    to[y * get_global_size(0) + x] = sum;
}
