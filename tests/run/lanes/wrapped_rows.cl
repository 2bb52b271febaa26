// Vectors of the program at unsigned indices, of which some wrap between items, where all lanes are and where some are; sums
// of `int` and `size_t`, and bytes that are promoted and become bytes again.
// run: pairs global=37 local=37 args: float2[64] = iota; float2[64] = 0 ... ; uint = 4294967290
// run: pairs global=37 local=37 args: float2[64] = iota; float2[64] = 0 ... ; uint = 3
// run: fours global=41 local=41 args: int4[64] = iota; int4[128] = 0 ... ; uint = 4294967279
// run: fours global=41 local=41 args: int4[64] = iota; int4[128] = 0 ... ; uint = 5
// run: some global=64 local=64 args: float4[64] = iota; float4[64] = 0 ... ; uint = 4294967264
// run: shorts global=50 local=50 args: short4[64] = iota; short4[64] = 0 ... ; uint = 4294967290
// run: sums global=32 local=16 args: float4[256] = iota; float[64] = 0 ... ; int = -3
// run: bytes global=64 local=64 args: uchar4[64] = iota; uchar4[64] = 0 ... ; int = 200
kernel void pairs(global const float2 *in, global float2 *out, uint n) {
    uint i = get_global_id(0) + n;
    if (i < 64)
        out[i] = in[get_global_id(0)] + in[i].yx * 2;
}
kernel void fours(global const int4 *in, global int4 *out, uint n) {
    uint i = get_global_id(0) + n, k = i + 17;
    if (i < 64)
        out[i] = in[63 - i].wzyx;
    if (k < 64)
        out[k + 64] = in[k] * (int4)(1, 10, 100, 1000);
}
kernel void some(global const float4 *in, global float4 *out, uint n) {
    uint i = get_global_id(0) + n;
    float4 v = 0;
    if (i < 40 && in[i].x > 20)
        v = in[i] + in[i + 24].zwxy;
    if (i < 50 && (i & 3) != 1)
        out[i] = v + 1;
}
kernel void shorts(global const short4 *in, global short4 *out, uint n) {
    uint i = get_global_id(0) + n;
    if (i < 64) {
        short4 v = in[i];
        out[i] = (short4)(v.x + v.y, v.y - v.z, v.z * v.w, v.w ^ v.x);
    }
}
kernel void sums(global const float4 *in, global float *out, int n) {
    int at = get_group_id(0) * get_local_size(0) * 4 + get_local_id(0) + n + 3;
    float4 sum = 0;
    for (int k = 0; k < 4; k++) {
        sum += in[at];
        at += get_local_size(0);
    }
    out[get_global_id(0)] = sum.x + sum.y * 2 + sum.z * 3 + sum.w * 4;
    int back = get_global_id(0);
    back = (back - get_global_size(0)) * 3 + 96;
    out[32 + get_global_id(0)] = in[back + 3 + n].x;
}
kernel void bytes(global const uchar4 *in, global uchar4 *out, int n) {
    size_t i = get_global_id(0);
    uchar4 a = in[i], b = in[63 - i];
    uchar c = a.x + b.y * 3 - n, d = (a.z ^ b.w) & ~(a.y | n);
    char e = (char)a.w * (char)b.x;
    out[i] = (uchar4)(c, d, e, (c + d) >> 1);
}
