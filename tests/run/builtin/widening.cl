// Scalars among vector arguments of builtins, where no declared form has them.
// run: k args: float4[1] = 1 2 3 4; float4[4] = 0 ...
// expect: 1 = 5 7 9 11 2 2 2 0 3 3 3 4 8 0 0 0
kernel void k(global const float4 *in, global float4 *out) {
    float4 v = in[0];
    out[0] = fma(v, 2.0f, 3.0f);
    vstore3(2.0f, 0, (global float *)(out + 1));
    out[2] = fmax(v, 3.0f);
    out[3].x = sizeof(event_t);
}
