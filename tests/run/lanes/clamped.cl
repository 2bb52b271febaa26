// Indices that are kept inside: clamped, reflected, wrapped round; of both signs, in loops, behind guards; images as wide as
// few lanes, many, and none that is inside at all.
// run: clamped global=70,5 args: float[350] = 0 ... ; float[350] = iota ; int = 70 ; int = 5
// run: clamped global=128,3 args: float[384] = 0 ... ; float[384] = iota ; int = 128 ; int = 3
// run: clamped global=3,3 args: float[9] = 0 ... ; float[9] = iota ; int = 3 ; int = 3
// run: reflected global=128,2 args: uchar[800] = 0 ... ; uchar[800] = iota ; int = 128 ; int = 2
// run: reflected global=100,3 args: uchar[900] = 0 ... ; uchar[900] = iota ; int = 90 ; int = 3
// run: unsigned_ones global=128 args: int[128] = 0 ... ; int[200] = iota ; uint = 100 ; uint = 7
// run: unsigned_ones global=64 args: int[128] = 0 ... ; int[200] = iota ; uint = 150 ; uint = 60
// run: loops global=96 args: int[96] = 0 ... ; int[96] = iota ; int = 96 ; int = 9
// run: loops global=40 args: int[96] = 0 ... ; int[96] = iota ; int = 20 ; int = 3
// run: longs global=64 args: int[64] = 0 ... ; int[64] = iota ; long = 64
// run: shared global=64 local=32 args: int[64] = 0 ... ; int[64] = iota ; local 144 ; int = 64
kernel void clamped(global float *to, global const float *from, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += from[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)] * (dx + 3);
    to[y * width + x] = sum;
}

kernel void reflected(global uchar *to, global const uchar *from, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int3 sum = 0;
    for (int d = -2; d <= 2; d++) {
        int at = x + d;
        at = at < 0 ? -at : at;
        at = at >= width ? 2 * width - 2 - at : at;
        int round = x - 5 + d < 0 ? x - 5 + d + width : x - 5 + d;
        sum += convert_int3(vload3(y * width + at, from)) * (d + 3) + convert_int3(vload3(y * width + round, from));
    }
    vstore3(convert_uchar3(sum & 255), y * width + x, to);
}

kernel void unsigned_ones(global int *to, global const int *from, uint n, uint add) {
    uint i = get_global_id(0);
    uint a = min(i + add, n - 1), b = max(i, add);
    uint c = min(max(i - add, 3u), n);
    to[i] = from[a] + 3 * from[b] - from[c];
}

kernel void loops(global int *to, global const int *from, int n, int turns) {
    int i = get_global_id(0), sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        int at = min(i + turn * 2, n - 1);
        sum += from[at] * turn;
        if (turn & 1)
            sum -= from[max(at - 7, 0)];
        if ((i + turn) % 5 == 0)
            sum += from[max(i - turn, 0)] + from[min(i + turn, n - 1)];
    }
    to[i] = sum;
}

kernel void longs(global int *to, global const int *from, long n) {
    long i = get_global_id(0);
    long at = clamp(i - 3, 0L, n - 1);
    to[i] = from[at] + from[min(at + 6, n - 1)] * 3 + from[max(i * 2 - n, 0L)];
}

kernel void shared(global int *to, global const int *from, local int *row, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    row[l + 2] = from[i];
    if (l < 2)
        row[l] = from[max(i - 2, 0)];
    else if (l >= 30)
        row[l + 4] = from[min(i + 2, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[i] = row[l] + row[l + 1] * 3 + row[min(l + 4, 35)] * 5;
}
