// Sparse matrix (CSR) times a vector, one work-item per row.
kernel void multiply(global const int *starts, global const int *columns, global const float *values,
                     global const float *x, global float *y)
{
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (int i = starts[row]; i < starts[row + 1]; ++i)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}
