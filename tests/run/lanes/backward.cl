// Rows, pixels and pairs that go backwards from lane to lane, loaded and stored; some ends are left out.
// run: rows global=64 local=32 args: int[80] = 0 ... ; int[80] = iota ; char[80] = iota ; int = 64
// run: rows global=80 local=40 args: int[80] = 0 ... ; int[80] = iota ; char[80] = iota ; int = 75
// run: flip global=64,2 local=32,1 args: uchar[400] = 0 ... ; uchar[400] = iota ; int = 64 ; int = 2
// run: flip global=64,2 local=64,1 args: uchar[400] = 0 ... ; uchar[400] = iota ; int = 61 ; int = 2
// run: steps global=64 local=64 args: float[300] = 0 ... ; float[300] = iota ; ushort[300] = iota
// run: steps global=33 local=33 args: float[300] = 0 ... ; float[300] = iota ; ushort[300] = iota
kernel void rows(global int *to, global const int *from, global char *bytes, int n) {
    int i = get_global_id(0);
    if (i < n) {
        char before = bytes[n - 1 - i];
        to[i] = from[n - 1 - i] * 3 + before;
        if (from[i] & 2)
            to[i] += from[n - 1 - i];
        bytes[n - 1 - i] = before + i;
    }
}

kernel void flip(global uchar *to, global const uchar *from, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width) {
        int here = (y * width + x) * 3, there = ((height - y - 1) * width + (width - x - 1)) * 3;
        uchar3 a = vload3(0, from + there);
        vstore3(a + (uchar3)(0, 1, 2), 0, to + here);
    }
}

kernel void steps(global float *to, global const float *from, global ushort *words) {
    int i = get_global_id(0), n = get_global_size(0);
    float2 pair = (float2)(from[2 * (n - 1 - i)], from[2 * (n - 1 - i) + 1]);
    to[4 * (n - i)] = pair.x;
    to[4 * (n - i) + 1] = pair.y;
    to[4 * (n - i) + 2] = from[2 * (n - i)];
    to[4 * (n - i) + 3] = from[3 * (n - i) + 1];
    ushort a = words[2 * (n - i)], b = words[2 * (n - i) + 1];
    words[2 * (n - i)] = b;
    words[2 * (n - i) + 1] = a;
}
