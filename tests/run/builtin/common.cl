// Integer, common and relational functions on scalars and vectors.
// run: k args: int4[1] = 1 -2 30 -40; int[24] = 0 ...
// expect: 1 = 40 1 -2 10 -10 0 2 3 31 8 -1 0 1 0 2147483647 7 5 3 1 4
kernel void k(global const int4 *in, global int *out) {
    int4 v = in[0];
    out[0] = abs(v.w);
    int4 c = clamp(v, -10, 10);
    out[1] = c.x; out[2] = c.y; out[3] = c.z; out[4] = c.w;
    out[5] = (int)fmin(0.0f, 3.0f);
    out[6] = max(1, 2);
    out[7] = popcount(7);
    out[8] = clz(1);
    out[9] = rotate(1, 35);
    out[10] = isnan((float2)(NAN, 1.0f)).x;
    out[11] = isnan((float2)(NAN, 1.0f)).y;
    out[12] = any(v < 0);
    out[13] = all(v < 0);
    out[14] = add_sat(2147483647, 5);
    out[15] = mad24(2, 3, 1);
    out[16] = (int)dot((float4)(1, 2, 0, 0), (float4)(1, 2, 3, 4));
    out[17] = select(3, 4, 0);
    out[18] = (int)sign(17.0f);
    out[19] = (int)mix(2.0f, 6.0f, 0.5f);
}
