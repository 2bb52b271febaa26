// Mixtures of mathematical functions.
kernel void trigonometry(global const float *x, global const float *y, global float *out)
{
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    float distance = sin(0.5f * a) * sin(0.5f * a) + cos(a) * cos(b);
    out[i] = distance + atan2(b, a) + tan(0.25f * b);
}

kernel void powers(global const float *x, global const float *y, global float *out)
{
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    float encoded = a <= 0.0031308f ? 12.92f * a : 1.055f * pow(a, 1.0f / 2.4f) - 0.055f;
    out[i] = encoded + pow(a, b) + exp2(-b) * log2(1.0f + a);
}
