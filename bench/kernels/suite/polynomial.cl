// Horner's scheme over coefficients that stay in the L1 cache.
kernel void polynomial(global const float *x, global float *y, constant float *coefficients, int terms)
{
    size_t i = get_global_id(0);
    float at = x[i], sum = 0.0f;
    for (int k = 0; k < terms; ++k)
        sum = sum * at + coefficients[k];
    y[i] = sum;
}
