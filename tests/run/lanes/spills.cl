// More vectors than registers: in long blocks, handed around a loop in another order, through loops inside, past branches.
// options: -cl-std=CL2.0
// run: block global=37 local=37 args: int[148] = iota ; int[37] = 0 ...
kernel void block(global const uint4 *a, global uint *out) {
    int i = get_global_id(0);
    uint4 w[20];
#pragma unroll
    for (int j = 0; j < 20; j++)
        w[j] = a[i] * (uint)(2 * j + 3) + (uint)j;
    uint4 x = 1, y = 2;
#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
        for (int j = 0; j < 20; j++) {
            x = (x << 5 | x >> 27) + w[(j * 7 + r) % 20];
            y = (y ^ x) + 0x5a827999u * (uint)(j + 1);
            w[j] ^= x & ~y;
        }
    }
    uint4 s = x + y;
    out[i] = s.x + s.y * 5 + s.z * 7 + s.w * 11;
}

// run: turned global=24 local=8 args: int[24] = iota ; int[24] = 0 ... ; int = 5
// run: turned global=13 local=13 args: int[13] = iota ; int[13] = 0 ... ; int = 0
kernel void turned(global const uint *a, global uint *out, int times) {
    int i = get_global_id(0);
    uint4 b = a[i] * 0x9e3779b9u + (uint4)(0, 1, 2, 3);
    uint4 w0 = b, w1 = b * 3, w2 = b * 5, w3 = b * 7, w4 = b * 9, w5 = b * 11, w6 = b * 13, w7 = b * 15, w8 = b * 17,
          w9 = b * 19, wa = 0, wb = 0, wc = b * 21, wd = b * 23, we = b * 25, wf = b * 27, c = 1, d = 2, e = 3, f = 4, same = b + 9;
    for (int j = 0; j < times; j++) {
        c += w0 ^ w5 + d;
        d = (d << 7 | d >> 25) + e * 3 + same;
        e ^= w9 & f;
        f += c ^ wf;
        // All become the next one, two change places, and one stays.
        uint4 first = w0, four = w4;
        w0 = w1, w1 = w2, w2 = w3, w3 = w5, w4 = w6 + c, w5 = four, w6 = w7, w7 = w8, w8 = w9, w9 = wa, wa = wb;
        wb = wc ^ f, wc = wd, wd = we, we = wf, wf = first;
    }
    uint4 s = w0 + w1 * 3 + w2 * 5 + w3 * 7 + w4 * 9 + w5 * 11 + w6 * 13 + w7 * 15 + w8 * 17 + w9 * 19 + wa * 21 + wb * 23;
    s += wc * 25 + wd * 27 + we * 29 + wf * 31 + c * 33 + d * 35 + e * 37 + f * 39;
    out[i] = s.x + s.y * 5 + s.z * 7 + s.w * 11;
}

// run: inside global=20 local=5 args: float[20] = iota ; float[20] = 0 ... ; int = 3
kernel void inside(global const float *a, global float *out, int times) {
    int i = get_global_id(0);
    float4 b = a[i] + (float4)(0, 1, 2, 3);
    float4 v0 = b, v1 = b + 1, v2 = b + 2, v3 = b + 3, v4 = b + 4, v5 = b + 5, v6 = b + 6, v7 = b + 7, v8 = b + 8, v9 = b + 9,
           va = b + 10, vb = b + 11, vc = b + 12, vd = b + 13, ve = b + 14, vf = b + 15, s = 0;
    for (int j = 0; j < times; j++) {
        float4 t = v0 * 2 + v1;
        for (int k = 0; k < i % 4 + 1; k++) {
            s = s * 0.5f + v2 * v3 + t;
            t += v4 - v5 + v6 * v7;
        }
        if (((i + j) & 1) == 0) {
            s += v8 * v9 + va * vb - t;
            v0 += vc;
        } else {
            s -= vd * ve + t * vf;
            v1 += vc * 0.25f;
        }
        s = fmin(s, 1000.0f) + v2 * vf;
    }
    float4 r = s + v0 * 2 + v1;
    out[i] = r.x + r.y * 2 + r.z * 4 + r.w * 8;
}
