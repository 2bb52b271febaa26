// A loop that works for any global size.
kernel void square(global const float *x, global float *y, int n, float shift)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = x[i] * x[i] + shift;
}
