// Memory bandwidth without arithmetic.
kernel void copy(global const float *from, global float *to)
{
    size_t i = get_global_id(0);
    to[i] = from[i];
}

// Copy with an index that could wrap, as far as the compiler knows before the launch.
kernel void copy_int(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[i];
}

kernel void triad(global const float *b, global const float *c, global float *a, float scale)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + scale * c[i];
}
