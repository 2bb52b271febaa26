// Loads from anywhere: steps that are constant and far, indices of 32 and 64 bits, numbers of 32 and 64 bits, pointers.
// run: steps global=37 local=37 args: float[1500] = iota; float[37] = 0 ...
// run: steps global=64 local=64 args: float[2600] = iota; float[64] = 0 ...
// run: doubles global=37 local=37 args: double[400] = iota; double[37] = 0 ...
// run: indices global=64 local=32 args: int[64] = iota; uint[64] = 63 62 61 60 3 2 1 0 ... ; int[64] = 0 ...
// run: longs global=40 local=40 args: long[80] = iota; long[40] = 7 39 0 1 ... ; long[40] = 0 ...
// run: both global=32 local=32 args: float[64] = iota; long[32] = 5 1 31 0 ... ; double[32] = 1 2 3 4 ... ; int[32] = 3 2 1 0 ... ; float[32] = 0 ... ; double[32] = 0 ...
// run: pointers global=24 local=24 args: int[48] = iota; int[48] = 7 ... ; int[24] = 0 ...
// run: some global=37 local=37 args: int[37] = iota; int[37] = 36 2 5 0 ... ; int[37] = 0 ...
// run: inside global=16 local=16 args: int[16] = 0 ...
kernel void steps(global const float *in, global float *out) {
    int i = get_global_id(0);
    out[i] = in[i * 40] + in[i * 40 + 3] * in[5 + i * 8];
}
kernel void doubles(global const double *in, global double *out) {
    size_t i = get_global_id(0);
    out[i] = in[i * 10] - in[9 + 10 * i];
}
kernel void indices(global const int *in, global const uint *at, global int *out) {
    int i = get_global_id(0);
    out[i] = in[at[i] & 63] * 2 + in[(at[i] * 7 + 1) & 63];
}
kernel void longs(global const long *in, global const long *at, global long *out) {
    size_t i = get_global_id(0);
    out[i] = in[at[i] & 63] + in[(int)(at[i] & 31) * 2];
}
kernel void both(global const float *f, global const long *far, global const double *d, global const int *near,
                 global float *out, global double *wide) {
    int i = get_global_id(0);
    out[i] = f[far[i] & 63];
    wide[i] = d[near[i] & 31];
}
kernel void pointers(global int *a, global int *b, global int *out) {
    int i = get_global_id(0);
    global int *from = (i * 5) % 3 == 0 ? a + (i ^ 3) : b + i * 2;
    out[i] = *from + from[0] * 2;
}
// Lanes that take no part read nothing.
kernel void some(global const int *in, global const int *at, global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int k = i; k < 37; k += 1 + (at[i] & 3))
        if (at[k] >= 0 && at[k] < 37)
            sum += in[at[k]];
    out[i] = sum;
}
// In a loop that keeps registers busy.
kernel void inside(global int *out) {
    local int cells[16 * 17];
    int i = get_local_id(0);
    for (int k = 0; k < 16; ++k)
        cells[k * 17 + i] = i * k + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int a = 0, b = 0, c = 0, d = 0;
    for (int k = 0; k < 16; k += 4) {
        a += cells[i * 17 + k] * 3;
        b ^= cells[i * 17 + k + 1];
        c += cells[i * 17 + k + 2] - a;
        d -= cells[((i * 7) & 15) * 17 + k + 3] & b;
    }
    out[i] = a + b * 5 + c * 7 + d * 11;
}
