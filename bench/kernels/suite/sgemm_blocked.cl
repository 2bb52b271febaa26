// C = A B: a work-group of 16 x 16 work-items computes 64 x 64 elements, each work-item 4 x 4 of them in registers.
#define SIDE 64
#define DEPTH 16
#define EACH 4
#define ITEMS (SIDE / EACH)

kernel __attribute__((reqd_work_group_size(ITEMS, ITEMS, 1)))
void sgemm(global const float *a, global const float *b, global float *c, int n)
{
    local float from_a[DEPTH][SIDE], from_b[DEPTH][SIDE];
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * SIDE, top = get_group_id(1) * SIDE;
    float sums[EACH][EACH];
    for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j)
            sums[i][j] = 0.0f;
    for (int start = 0; start < n; start += DEPTH) {
        for (int i = y * ITEMS + x; i < SIDE * DEPTH; i += ITEMS * ITEMS) {
            from_a[i % DEPTH][i / DEPTH] = a[(top + i / DEPTH) * n + start + i % DEPTH];
            from_b[i / SIDE][i % SIDE] = b[(start + i / SIDE) * n + left + i % SIDE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEPTH; ++k) {
            float down[EACH], across[EACH];
            for (int i = 0; i < EACH; ++i) {
                down[i] = from_a[k][y + i * ITEMS];
                across[i] = from_b[k][x + i * ITEMS];
            }
            for (int i = 0; i < EACH; ++i)
                for (int j = 0; j < EACH; ++j)
                    sums[i][j] += down[i] * across[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j)
            c[(top + y + i * ITEMS) * n + left + x + j * ITEMS] = sums[i][j];
}
