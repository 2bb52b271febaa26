// Loops whose turns all items count alike, and go over memory far apart: the group takes each turn together.
// run: units global=64 local=32 args: int[512] = iota; int[512] = 0 ... ; int[2] = 0 ... ; int = 512
// run: units global=64 local=32 args: int[512] = iota; int[512] = 0 ... ; int[2] = 0 ... ; int = 301
// run: units global=64 local=32 args: int[512] = iota; int[512] = 0 ... ; int[2] = 0 ... ; int = 0
// run: counted global=48 local=16 args: float[512] = iota; float[512] = 0 ... ; int = 5
// run: counted global=48 local=16 args: float[512] = iota; float[512] = 0 ... ; int = 0
// run: counted global=8 local=8 args: float[512] = iota; float[512] = 0 ... ; int = 3
// run: backward global=32 local=32 args: uchar[512] = iota; uchar[512] = 0 ...
// run: rows global=16,4 local=16,4 args: int[1024] = iota; int[1024] = 0 ... ; int = 200
// run: kept global=32 local=32 args: int[512] = iota; int[32] = 0 ...
// run: aliased global=32 local=32 args: int[513] = iota
kernel void units(global const int *in, global int *out, global int *last, int n) {
    local int unit[8][33];
    int lid = get_local_id(0), first = get_group_id(0) * 256;
    for (int k = 0; k < 8; ++k) {
        int at = k * 32 + lid;
        if (first + at < n)
            unit[at % 8][at / 8] = in[first + at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 8; ++k)
        if (first + lid * 8 + k < n) {
            sum += unit[k][lid];
            unit[k][lid] = sum;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; ++k) {
        int at = k * 32 + lid;
        if (first + at < n)
            out[first + at] = unit[at % 8][at / 8] + k;
    }
    if (lid == 31)
        last[get_group_id(0)] = sum;
}
// A number of turns that nobody knows.
kernel void counted(global const float *in, global float *out, int turns) {
    int id = get_global_id(0);
    for (int k = 0; k < turns; ++k)
        out[k * 64 + id] = in[k * 96 + id] * 2 + k;
    for (int k = turns; k <= turns + 1; k += 1)
        out[k * 64 + id] -= 1;
}
kernel void backward(global const uchar *in, global uchar *out) {
    int lid = get_local_id(0);
    for (uint k = 0; k < 8; k += 2)
        out[k * 64 + lid] = in[511 - k * 64 - lid] + k;
}
kernel void rows(global const int *in, global int *out, int n) {
    int x = get_local_id(0), y = get_local_id(1);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 4; ++k) {
            int at = (j * 4 + y) * 64 + k * 16 + x;
            if (at > n)
                out[at] = in[at] + j * k;
        }
}
// A sum goes from turn to turn.
kernel void kept(global const int *in, global int *out) {
    int lid = get_local_id(0), sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += in[k * 32 + lid] * k;
    out[lid] = sum;
}
// Items write what no other reads before the barrier.
kernel void aliased(global int *p) {
    int lid = get_local_id(0);
    for (int k = 0; k < 8; ++k)
        p[k * 64 + 2 * lid] += p[k * 64 + 2 * lid + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int k = 0; k < 8; ++k)
        p[k * 64 + 2 * lid + 1] = p[(k * 64 + 2 * lid + 2) % 512];
}
