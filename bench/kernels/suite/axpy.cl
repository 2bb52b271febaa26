// A loop that works for any global size.
kernel void axpy(global const float *x, global const float *y, global float *z, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        z[i] = 2.0f * x[i] + y[i];
}
