// C = A B in tiles of 16 x 16 in local memory. REAL is float or double.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void gemm(global const REAL *a, global const REAL *b, global REAL *c, int n)
{
    local REAL from_a[TILE][TILE], from_b[TILE][TILE];
    int column = get_global_id(0), row = get_global_id(1);
    int x = get_local_id(0), y = get_local_id(1);
    REAL sum = 0;
    for (int start = 0; start < n; start += TILE) {
        from_a[y][x] = a[row * n + start + x];
        from_b[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum += from_a[y][k] * from_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
