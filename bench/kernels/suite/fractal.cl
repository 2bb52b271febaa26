// The Mandelbrot set: neighbors leave the loop at different times.
kernel void mandelbrot(global int *counts, int width, float left, float top, float step, int most)
{
    int column = get_global_id(0), row = get_global_id(1);
    float cx = left + column * step, cy = top + row * step;
    float x = 0.0f, y = 0.0f;
    int n = 0;
    while (n < most && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++n;
    }
    counts[row * width + column] = n;
}
