// Lanes that take each other's place, `a[i ^ n]`: rows of which lanes change places, where the first item is a multiple of as many as there are, and
// else one by one. Distances that are known and that are not, loads and stores, all lanes and some, several kinds of element, offsets.
// run: known global=70 local=70 args: uint[128] = iota ; uint[512] = 0 ...
// run: known global=64 local=16 offset=5 args: uint[128] = iota ; uint[512] = 0 ...
// run: asked global=64 local=32 args: int[128] = iota ; long[320] = 0 ... ; int = 3
// run: asked global=48 local=24 args: int[128] = iota ; long[320] = 0 ... ; int = 20
// run: asked global=60 local=20 offset=3 args: int[128] = iota ; long[320] = 0 ... ; int = 0
// run: sort global=64 local=32 args: uint[64] = 5 90 3 77 1 0 2 8 1000 13 64 6 ...
// run: some global=64 local=64 args: float[64] = iota ; float[64] = 0 ... ; uint = 5
// run: words global=64 local=64 args: ushort[64] = iota ; uchar[64] = iota ; ushort[64] = 0 ... ; uint = 6
// run: backward global=64 local=32 args: uint[200] = iota ; uint[64] = 0 ... ; uint = 9
kernel void known(global const uint *in, global uint *out) {
    uint i = get_global_id(0);
    uint sum = 0;
    for (uint n = 0; n < 8; n++)
        sum = sum * 31 + in[i ^ n];
    out[i ^ 3] = sum;
    out[128 + (i ^ 16)] = in[(i ^ 5) + 2];
    out[256 + (get_global_id(0) ^ 1)] = i * 7;
    if (i % 3)
        out[384 + (get_global_id(0) ^ 6)] = in[i ^ 9];
}
kernel void asked(global const int *in, global long *out, int n) {
    int i = get_global_id(0);
    out[i] = in[i ^ n];
    out[128 + (i ^ (n + 1))] = in[(n ^ i) + 4] - i;
    if ((i ^ n) > i)
        out[(i ^ n) + 192] = in[i ^ n] * 3L;
}
// Bitonic: some wait for others, so there is a barrier.
kernel void sort(global uint *all) {
    local uint a[32];
    uint l = get_local_id(0);
    a[l] = all[get_global_id(0)] * 2654435761u;
    for (uint size = 2; size <= 32; size *= 2)
        for (uint far = size / 2; far > 0; far /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint other = l ^ far;
            if (other > l) {
                uint x = a[l], y = a[other];
                if ((x > y) == ((l & size) == 0)) {
                    a[l] = y;
                    a[other] = x;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    all[get_global_id(0)] = a[l];
}
kernel void some(global const float *in, global float *out, uint n) {
    uint i = get_global_id(0);
    if (in[i] > 20.0f)
        out[i ^ n] = in[(i ^ n) ^ 1] + in[i ^ (n * 3)];
}
kernel void words(global const ushort *a, global const uchar *b, global ushort *out, uint n) {
    uint i = get_global_id(0);
    out[i ^ n] = a[i ^ n] * 3 + b[i ^ (n - 1)];
}
kernel void backward(global const uint *in, global uint *out, uint n) {
    uint i = get_global_id(0);
    out[63 - (i ^ n)] = in[100 - (i ^ n)] + in[2 * (i ^ n)] + in[(i ^ n) + (i ^ 2)];
}
