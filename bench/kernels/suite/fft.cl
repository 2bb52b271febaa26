// FFT of 1024 points per work-group of 256 work-items: five passes of radix 4 without bit reversal (Stockham).
#define POINTS 1024
#define QUARTER (POINTS / 4)

float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

kernel __attribute__((reqd_work_group_size(QUARTER, 1, 1)))
void fft(global const float2 *from, global float2 *to, constant float2 *roots)
{
    local float2 points[POINTS];
    int i = get_local_id(0), start = get_group_id(0) * POINTS;
    for (int part = 0; part < 4; ++part)
        points[i + part * QUARTER] = from[start + i + part * QUARTER];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int done = 1; done < POINTS; done *= 4) {
        int k = i & (done - 1);
        int turn = k * (QUARTER / done);
        float2 a = points[i];
        float2 b = times(roots[turn], points[i + QUARTER]);
        float2 c = times(roots[2 * turn], points[i + 2 * QUARTER]);
        float2 d = times(roots[3 * turn], points[i + 3 * QUARTER]);
        barrier(CLK_LOCAL_MEM_FENCE);
        float2 sum = b + d, difference = (float2)(b.y - d.y, d.x - b.x);
        int at = ((i - k) << 2) + k;
        points[at] = a + c + sum;
        points[at + done] = a - c + difference;
        points[at + 2 * done] = a + c - sum;
        points[at + 3 * done] = a - c - difference;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int part = 0; part < 4; ++part)
        to[start + i + part * QUARTER] = points[i + part * QUARTER];
}
