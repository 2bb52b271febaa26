// Nine-point stencil; border elements stay unchanged.
kernel void stencil(global const float *from, global float *to, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        to[at] = from[at];
        return;
    }
    float beside = from[at - 1] + from[at + 1] + from[at - width] + from[at + width];
    float corners = from[at - width - 1] + from[at - width + 1] + from[at + width - 1] + from[at + width + 1];
    to[at] = 0.5f * from[at] + 0.1f * beside + 0.025f * corners;
}
