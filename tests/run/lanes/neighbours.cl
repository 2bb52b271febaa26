// What lies side by side at indices that vary: pixels, pairs, structures; loaded and stored in words, some under a mask.
// run: pixels global=64 local=32 args: uchar[300] = 0 ... ; uchar[300] = iota ; int = 64
// run: pixels global=70 local=35 args: uchar[300] = 0 ... ; uchar[300] = iota ; int = 61
// run: pairs global=64 local=64 args: int[300] = 0 ... ; uchar[300] = iota ; ushort[300] = iota ; float[300] = iota
// run: pairs global=37 local=37 args: int[300] = 0 ... ; uchar[300] = iota ; ushort[300] = iota ; float[300] = iota
// run: stores global=64 local=32 args: uchar[500] = 0 ... ; ushort[300] = 0 ... ; float[300] = 0 ... ; int = 50
// run: records global=48 local=16 args: int[48] = 0 ... ; int[400] = iota
// run: between global=64 local=32 args: uchar[300] = iota ; int = 7
int anywhere(int i, int n) {
    return (i * 29 + 11) % n;
}

kernel void pixels(global uchar *to, global const uchar *from, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int at = anywhere(i, n);
    uchar3 here = vload3(at, from), next = vload3(0, from + 3 * at + 3);
    uchar4 four = vload4(at, from);
    uchar2 two = vload2(0, from + at);
    uchar skipped = from[at + 7] - from[at + 5];
    to[3 * i] = here.x + next.z * 2 + skipped;
    to[3 * i + 1] = here.y * 3 + next.y + four.s0 + four.s3 * 5;
    to[3 * i + 2] = here.z + next.x + four.s1 * 7 + four.s2 + two.x + two.y * 3;
}

kernel void pairs(global int *to, global const uchar *bytes, global const ushort *words, global const float *floats) {
    int i = get_global_id(0), at = anywhere(i, 67);
    int sum = bytes[at] + 3 * bytes[at + 1];
    sum += words[2 * at] + 5 * words[2 * at + 1];
    if (at & 1) {
        ushort3 w = vload3(at, words);
        sum += w.x + 7 * w.y + 11 * w.z;
        float3 f = vload3(at, floats);
        sum += (int)(f.x + f.y * 3.0f + f.z * 13.0f);
    }
    to[i] = sum + (int)(floats[at] * 2.0f - floats[at + 1]);
}

kernel void stores(global uchar *bytes, global ushort *words, global float *floats, int n) {
    int i = get_global_id(0), at = anywhere(i, 64);
    uchar b = i;
    vstore4((uchar4)(b, b * 3, b + 1, b ^ 85), at, bytes);
    if (i < n) {
        vstore2((ushort2)(i * 301, i + 1), at, words);
        vstore2((float2)(i, i * 0.5f), at, floats);
        vstore3((uchar3)(1, b, 3), at + 64, bytes + 64);
    }
}

struct record {
    char kind;
    uchar flags;
    short size;
    int key, value;
    float weight;
};

kernel void records(global int *to, global struct record *all) {
    int i = get_global_id(0), at = (i * 7 + 5) % 16 + i / 16 * 16;
    struct record r = all[at];
    to[i] = r.kind + r.flags * 3 + r.size * 5 + r.key * 7 + r.value + (int)r.weight;
    all[at].key = r.value;
    all[at].value = i;
    all[at].size = r.size + 1;
    all[at].kind = r.flags;
    all[at].flags = i;
}

// What is stored in between is seen.
kernel void between(global uchar *bytes, int n) {
    int i = get_global_id(0), at = 4 * anywhere(i, 64);
    uchar a = bytes[at];
    bytes[at + 1] = a + n;
    uchar b = bytes[at + 1], c = bytes[at + 2];
    bytes[at + 2] = b;
    bytes[at + 3] = c + bytes[at + 2] * 3;
}
