// Vectors beside each other that only some items read and write: of floats, bytes and words, by an odd condition and at a ragged end.
// run: k global=40 local=40 args: float[160] = 0.5 ... ; float[160] = iota ; uchar[160] = iota ; ushort[80] = iota ; int = 37
// run: k global=64 local=32 args: float[256] = -1.0 ... ; float[256] = iota ; uchar[256] = iota ; ushort[128] = iota ; int = 50
// run: ends global=64 local=32 args: float[203] = 0 ... ; uchar[203] = iota ; int = 203
kernel void k(global float4 *out, global const float4 *in, global uchar4 *bytes, global ushort2 *words, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float4 v = in[i];
    if (i % 3 != 1) {
        out[i] = v.wzyx * 2.0f + in[i].y;
        bytes[i] = bytes[i].yxwz + (uchar4)(i);
        if ((i & 4) == 0)
            words[i] = words[i].yx * (ushort)3;
    } else if (v.x > 20.0f) {
        out[i].xy = v.zw;
    }
}

// The last item of a row writes what is left of it.
kernel void ends(global float *out, global const uchar *in, int n) {
    int x = get_global_id(0) << 2;
    float4 sum = convert_float4(vload4(0, in + (x & 127))) * 0.5f;
    if (x + 3 < n)
        vstore4(sum, 0, out + x);
    else if (x + 2 < n) {
        out[x] = sum.x;
        out[x + 1] = sum.y;
        out[x + 2] = sum.z;
    } else if (x + 1 < n) {
        out[x] = sum.x;
        out[x + 1] = sum.y;
    } else if (x < n)
        out[x] = sum.x;
}
