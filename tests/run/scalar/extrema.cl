// Selections by a comparison of the same values, which may be one instruction: NaNs and signs of zeros are those of the
// selection, whatever the order.
// run: k global=16 local=16 args: float[16] = 0 -0 1 2 NaN 3 NaN inf -inf 5 -5 0 -0 1 7 -1; float[16] = -0 0 2 1 4 NaN NaN -inf inf 5 -4 0 -0 1 NaN -2; float[16] = 0; float[16] = 0; float[16] = 0; float[16] = 0
// expect: 2 = -0 0 1 1 4 NaN NaN -inf -inf 5 -5 0 -0 1 NaN -2
// expect: 3 = -0 0 2 2 4 NaN NaN inf inf 5 -4 0 -0 1 NaN -1
// expect: 4 = 0 -0 1 1 NaN 3 NaN -inf -inf 5 -5 0 -0 1 7 -2
// expect: 5 = 0 -0 2 2 NaN 3 NaN inf inf 5 -4 0 -0 1 7 -1
kernel void k(global const float *a, global const float *b, global float *less, global float *more, global float *not_more,
              global float *not_less)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    less[i] = x < y ? x : y;
    more[i] = x > y ? x : y;
    not_more[i] = !(x > y) ? x : y;
    not_less[i] = !(x < y) ? x : y;
}

// run: swapped global=16 local=16 args: double[16] = 0 -0 1 2 NaN 3 NaN inf -inf 5 -5 0 -0 1 7 -1; double[16] = -0 0 2 1 4 NaN NaN -inf inf 5 -4 0 -0 1 NaN -2; double[16] = 0; double[16] = 0; double[16] = 0; double[16] = 0
// expect: 2 = 0 -0 2 2 NaN 3 NaN inf inf 5 -4 0 -0 1 7 -1
// expect: 3 = 0 -0 1 1 NaN 3 NaN -inf -inf 5 -5 0 -0 1 7 -2
// expect: 4 = 0 -0 1 2 NaN 3 NaN 10 0 5 0 0 -0 1 7 0
// expect: 5 = 0 -0 1 2 NaN 3 NaN inf -inf 5 -5 0 -0 1 7 -1
kernel void swapped(global const double *a, global const double *b, global double *more, global double *less,
                    global double *clamped, global double *same)
{
    size_t i = get_global_id(0);
    double x = a[i], y = b[i];
    more[i] = x < y ? y : x;
    less[i] = x > y ? y : x;
    clamped[i] = x < 0.0 ? 0.0 : x > 10.0 ? 10.0 : x;
    same[i] = x < y ? x : x;
}

// run: vectors global=4 local=4 args: float4[4] = 0 -0 1 2 NaN 3 NaN inf -inf 5 -5 0 -0 1 7 -1; float4[4] = -0 0 2 1 4 NaN NaN -inf inf 5 -4 0 -0 1 NaN -2; float4[4] = 0; float4[4] = 0
// expect: 2 = -0 0 1 1 4 NaN NaN -inf -inf 5 -5 0 -0 1 NaN -2
// expect: 3 = 0 -0 2 2 NaN 3 NaN inf inf 5 -4 0 -0 1 7 -1
kernel void vectors(global const float4 *a, global const float4 *b, global float4 *less, global float4 *more)
{
    size_t i = get_global_id(0);
    float4 x = a[i], y = b[i];
    less[i] = x < y ? x : y;
    more[i] = x < y ? y : x;
}
