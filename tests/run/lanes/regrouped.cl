// Vectors of three, written as programs write them: with a zero, a part of another, out of a structure's numbers, of two vectors and
// constants; of integers, doubles and pairs.
// run: k global=32 local=1 args: float[128] = iota ; float[128] = 0.5 ... ; int[128] = iota ; double[64] = iota
// run: k global=1 local=1 args: float[128] = iota ; float[128] = 0.5 ... ; int[128] = iota ; double[64] = iota
typedef struct { float x, y, z, q, a, b; } atom;

kernel void k(global const float4 *points, global float4 *out, global int4 *whole, global double2 *pairs) {
    local atom atoms[32];
    int i = get_global_id(0);
    for (int j = 0; j < 32; j++) {
        float4 t = points[(j * 7 + i) & 31];
        atoms[j].x = t.x;
        atoms[j].y = t.y;
        atoms[j].z = t.z - j;
        atoms[j].q = t.w;
        atoms[j].a = t.x * 0.25f;
        atoms[j].b = j;
    }
    float4 here = points[i], sum = out[i];
    for (int j = 0; j < 32; j++) {
        float4 there = (float4)(atoms[j].x, atoms[j].y, atoms[j].z, atoms[j].q);
        float4 way = (float4)(there.xyz - here.xyz, 0);
        float far = dot(way.xyz, way.xyz);
        float2 more = (float2)(atoms[j].a, atoms[j].b);
        if (far < 900.0f) {
            sum.xyz -= way.xyz * there.w * more.x;
            sum.w += way.w + more.y + there.z;
        }
        atoms[j].x += sum.y;
    }
    out[i] = sum;
    int4 w = whole[i];
    int4 v = (int4)(w.zw, 7, w.x);
    v.yz = w.xx + v.zy;
    whole[i] = (int4)(v.w, 1, v.x, 2) + (int4)(v.y, w.y, w.z, v.z);
    double2 p = pairs[i], turned = (double2)(p.y, -1.0);
    turned.y = p.x;
    pairs[i] = turned * (double2)(p.x, 2.0);
}
