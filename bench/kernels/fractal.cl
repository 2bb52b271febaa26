// Mandelbrot set, one tile of the picture per work-group. The smooth iteration counts of a tile are stored in local
// memory, where each pixel is smoothed with its neighbors before it is colored.

int iterations(float cx, float cy, int most, float *magnitude) {
    float x = 0.0f, y = 0.0f, xx = 0.0f, yy = 0.0f;
    int n = 0;
    for (; n < most && xx + yy < 64.0f; ++n) {
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
    }
    *magnitude = xx + yy;
    return n;
}

uchar4 colour(float t) {
    float3 low = (float3)(0.02f, 0.03f, 0.12f), high = (float3)(1.0f, 0.93f, 0.75f);
    float3 warm = (float3)(0.95f, 0.45f, 0.10f);
    float s = clamp(t, 0.0f, 1.0f);
    float3 c = s < 0.5f ? mix(low, warm, s * 2.0f) : mix(warm, high, s * 2.0f - 1.0f);
    return (uchar4)(convert_uchar3(c * 255.0f), 255);
}

kernel void fractal(global uchar4 *picture, int width, int height, float x0, float y0, float scale, int most,
                    local float *tile) {
    int x = get_global_id(0), y = get_global_id(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    int w = get_local_size(0), h = get_local_size(1);
    float magnitude;
    int n = iterations(x0 + x * scale, y0 + y * scale, most, &magnitude);
    tile[ly * w + lx] = n == most ? 0.0f : (float)n / most + 0.02f / (1.0f + magnitude);
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    int count = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int tx = lx + dx, ty = ly + dy;
            if (tx >= 0 && tx < w && ty >= 0 && ty < h) {
                int weight = (2 - abs(dx)) * (2 - abs(dy));
                sum += weight * tile[ty * w + tx];
                count += weight;
            }
        }
    if (x < width && y < height)
        picture[y * width + x] = colour(sqrt(sum / count));
}
