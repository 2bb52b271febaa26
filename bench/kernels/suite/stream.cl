// Memory and nothing else.
kernel void copy(global const float *from, global float *to)
{
    size_t i = get_global_id(0);
    to[i] = from[i];
}

// The same with an index that could wrap, for all that a compiler knows before the launch.
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
