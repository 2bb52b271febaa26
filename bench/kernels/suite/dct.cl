// Cosine transform of JPEG, one work-group of 8 x 8 work-items per block.
kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void dct(global const float *from, global float *to, constant float *cosines, int width)
{
    local float block[8][8], rows[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int at = get_global_id(1) * width + get_global_id(0);
    block[y][x] = from[at] - 128.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k)
        sum += block[y][k] * cosines[x * 8 + k];
    rows[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < 8; ++k)
        sum += rows[k][x] * cosines[y * 8 + k];
    to[at] = sum;
}
