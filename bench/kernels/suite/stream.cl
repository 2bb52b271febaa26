// Memory and nothing else.
kernel void copy(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[i];
}

kernel void triad(global const float *b, global const float *c, global float *a, float scale)
{
    int i = get_global_id(0);
    a[i] = b[i] + scale * c[i];
}
