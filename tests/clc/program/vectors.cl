// Vectors: literals, components, operators, conversions.
constant float4 folded = (float4)((float2)(1, 2), 3, 4).wzyx * 2.0f + (float4)(1);
constant int4 compared = (int4)(1, 2, 3, 4) > 2;
constant uint bits = as_uint(1.0f) >> 23;
float4 sum(float4 a, float3 b) { return a + (float4)(b, 1.0f); }
kernel void k(global float4 *v, global int4 *i, global uchar16 *c, global double2 *d, int n)
{
    float4 a = (float4)(1.0f, 2.0f, (float2)(3.0f, 4.0f)), b = (float4)(0);
    a.xy = b.zw; a.s03 += a.yx; a.lo.y = 1; a.hi = a.even; a.odd.s1 = 2; a.x++; --a;
    v[0].xyz = a.zyx; v->w = v[1].s3; (*v).y = 2;
    int4 m = (a < b) & !(a == b) | (a != b) && i[0], k = -m, s = i[0] << i[1], t = i[0] >> 3;
    k ^= ~m; k <<= 2; k %= 3; k = m ? k : t; a = m ? a : 0.0f; a = n ? a : b;
    uchar16 u = *c; u += (uchar)1; u = u.s0123456789abcdef; u.sFEDCBA9876543210 = u; u.s8 = u.SA;
    short8 w = convert_short8(u.lo); w = select(w, (short8)1, convert_short8(u.hi));
    d[0] = convert_double2(a.xy) * d[1] + 1; d[0] = -d[0]; long2 q = d[0] >= d[1];
    float3 three = (float3)(1, 2, 3); float2 half_of = three.hi; three = three.zyx; three.s12 = half_of;
    float scalar = a.x * three.y + a.s1; a = scalar; a *= 2; a = 1 - a; a /= scalar;
    int4 as = as_int4(a), cast = (int4)n, conv = convert_int4_sat_rte(a * 100.0f);
    char4 narrow = convert_char4_sat(i[0]); bool flag = any(m); half_of = as_float2(as_long(half_of));
    float8 wide = (float8)(a, b); wide.even = a; wide = (float8)(1, a.xyz, wide.hi);
    i[0] = as + cast + conv + (int4)(narrow.x, flag, q.x, w.s7) + s + k; a[n & 3] = a[2];
    v[0] = sum(a, three) + wide.lo + fmax(a, 1.0f) + mix(a, b, 0.5f); i[1] = vec_step(three) + vec_step(float8);
}
