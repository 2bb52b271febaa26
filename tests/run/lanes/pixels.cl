// Pixels of three and four bytes, words and floats as vectors: read, changed, written; some components alone, and past an odd start.
// run: three global=35 local=35 args: uchar[120] = 0 ... ; uchar[120] = iota ; ushort[120] = iota ; float[120] = iota
// run: three global=64 local=32 args: uchar[200] = 0 ... ; uchar[200] = iota ; ushort[200] = iota ; float[200] = iota
// run: four global=32 local=32 args: uchar[140] = 0 ... ; uchar[140] = iota
kernel void three(global uchar *out, global uchar *bytes, global ushort *words, global float *floats) {
    int i = get_global_id(0);
    uchar3 b = vload3(i, bytes);
    uchar4 beside = vload4(0, bytes + 3 * i + 1);
    ushort3 w = vload3(i, words);
    float3 f = vload3(i, floats);
    vstore3(convert_uchar3(w) + b.zyx + (uchar3)(beside.x, 1, beside.z), i, out);
    vstore3(w * (ushort)3, i, words);
    vstore3(f.yzx + 1.0f, i, floats);
    bytes[3 * i + 1] = b.x;
}

kernel void four(global uchar *out, global const uchar *bytes) {
    int i = get_global_id(0);
    uchar4 b = vload4(i, bytes), next = vload4(0, bytes + 4 * i + 3);
    uchar2 c = vload2(0, bytes + 4 * i + 2);
    vstore2((uchar2)(b.x + next.y, b.w - c.y), 0, out + 4 * i + 1);
    out[4 * i] = c.x;
}
