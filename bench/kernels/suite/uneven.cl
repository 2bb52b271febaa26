// Sizes that no vector width divides: a prime number of items, and rows of a prime width.
kernel void line(global const float *x, global const float *y, global float *z, int n, float a)
{
    size_t i = get_global_id(0);
    if (i < n)
        z[i] = a * x[i] + y[i];
}

kernel void plane(global const float *x, global float *y, int width, int height)
{
    int column = get_global_id(0), row = get_global_id(1);
    int mirrored = (height - 1 - row) * width + column;
    y[row * width + column] = 0.5f * (x[row * width + column] + x[mirrored]);
}
