// Vectors that fill registers, and loops that all items leave together: two items go by turns.
// run: chain global=24 local=8 args: float[384] = 0.5 0.25 -0.125 1 ... ; float[384] = 0 ...
// run: chain global=21 local=7 args: float[384] = 0.5 0.25 -0.125 1 ... ; float[384] = 0 ...
// run: mixed global=6,5 local=3,5 args: int[512] = iota; int[512] = 0 ...; int = 3
// run: mixed global=6,5 local=6,1 args: int[512] = iota; int[512] = 0 ...; int = 0
// run: chosen global=12 local=4 args: int[48] = iota; int[48] = 7 ...; int = 2
// run: chosen global=12 local=4 args: int[48] = iota; int[48] = 7 ...; int = 9
// run: kept global=10 local=5 args: int[80] = iota; int[80] = 0 ...
kernel void chain(global const float *in, global float *out) {
    size_t i = get_global_id(0);
    float16 x = vload16(i, in), y = (float16)(0.25f * (float)get_local_id(0));
    for (int n = 0; n < 9; ++n) {
        x = mad(y, x, y);
        y = mad(x, y, x) * 0.5f;
    }
    vstore16(x - y, i, out);
}
// What is the same for both is done once; a counter from the id goes through a loop; the loop ends by an argument.
kernel void mixed(global const int *in, global int *out, int turns) {
    int x = get_global_id(0), y = get_global_id(1), at = x + y * get_global_size(0);
    int4 sum = (int4)(x, y, at, turns);
    int shared = in[turns];
    for (int n = 0, from = at; n < turns; ++n, from += 7) {
        int8 row = vload8(n + y, in);
        sum += row.lo * from + row.hi * shared;
    }
    vstore4(sum, at, out);
}
// Ways that an argument chooses.
kernel void chosen(global const int *in, global int *out, int which) {
    int i = get_global_id(0);
    int4 v = vload4(i, in);
    switch (which) {
    case 2: v = v * v.wzyx + i; break;
    case 3: v = v.s0123 - i; break;
    default:
        if (which > 5)
            v = -v;
        out[i] = v.x;
        return;
    }
    vstore4(v, i, out);
}
// Values that live across a barrier.
kernel void kept(global const int *in, global int *out) {
    local int line[5];
    int i = get_global_id(0), l = get_local_id(0);
    int8 v = vload8(i, in) * (l + 2);
    line[l] = v.s3;
    barrier(CLK_LOCAL_MEM_FENCE);
    v += line[4 - l];
    vstore8(v, i, out);
}
// More registers at once than there are, past the caches or not.
// run: filled global=32 local=32 args: ulong[512] = iota; ulong[512] = 0 ...
kernel void filled(global const ulong *in, global ulong *out) {
    size_t i = get_global_id(0);
    vstore16(vload16(i, in) + 3, i, out);
}
