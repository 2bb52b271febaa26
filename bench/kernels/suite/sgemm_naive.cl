// C = A B, one work-item per element.
kernel void sgemm(global const float *a, global const float *b, global float *c, int n)
{
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
