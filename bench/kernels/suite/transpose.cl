// Transpose in tiles, so that whole rows are read and written.
#define TILE 16

kernel void transpose(global const float *from, global float *to, int width, int height)
{
    local float tile[TILE][TILE + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    tile[y][x] = from[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[(left + y) * height + top + x] = tile[x][y];
}
