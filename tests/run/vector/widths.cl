// Every width, three lanes included.
// run: k args: float16[1] = iota; float[16] = 0 ...
// expect: 1 = 120 3 6 3 10 28 120 0 1 2 7 15 3 12
kernel void k(global const float16 *in, global float *out) {
    float16 v = in[0];
    float8 e = v.lo + v.hi;
    float4 q = e.lo + e.hi;
    float2 d = q.lo + q.hi;
    out[0] = d.x + d.y;
    float3 t = v.s012;
    out[1] = t.x + t.y + t.z;
    float3 u = (float3)(v.s12, v.s3);
    out[2] = u.x + u.y + u.z;
    out[3] = (t * 3.0f).y;
    float4 f = (float4)(t, 7.0f);
    out[4] = f.x + f.y + f.z + f.w;
    out[5] = v.s7 + v.s6 + v.s5 + v.s4 + v.s3 + v.s2 + v.s1;
    out[6] = d.x + d.y;
    out[7] = v.even.s0;
    out[8] = v.odd.s0;
    out[9] = v.even.odd.s0;
    out[10] = v.sA - v.s3;
    out[11] = v.sf;
    out[12] = vec_step(v) / 5;
    out[13] = sizeof(float3) - 4;
}
