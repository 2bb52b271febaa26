// Several changes of memory by each item in a row, at places that are computed meanwhile: their order is kept where it can be seen.
// run: bytes global=96 local=48 args: uint[96] = iota; uint[256] = 0 ...
// run: ordered global=1 local=1 args: uint[64] = iota; uint[64] = 3 ...
// run: own global=64 local=64 args: uint[64] = 7 1 9 ... ; uint[64] = 5 ...
// run: some global=70 local=35 args: int[70] = 3 -1 60 0 2 ... ; uint[64] = 1 ...
// run: found global=64 local=32 args: uint[64] = iota; uint[8] = 0 0 0 0 5 90 9 0; uint[4] = 0 ...
// run: many global=32 local=32 args: ulong[32] = iota; ulong[20] = 0 ...
kernel void bytes(global const uint *in, global uint *out) {
    local uint bins[256];
    int l = get_local_id(0);
    for (int i = l; i < 256; i += get_local_size(0))
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint value = in[get_global_id(0)] * 0x9e3779b9u;
    atomic_inc(&bins[value & 255]);
    atomic_inc(&bins[value >> 8 & 255]);
    atomic_add(&bins[value >> 16 & 255], 3u);
    atomic_add(&bins[value >> 24], value & 7);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 256; i += get_local_size(0))
        atomic_add(&out[i], bins[i]);
}
// One item.
kernel void ordered(global const uint *in, global uint *out) {
    for (int i = 0; i < 64; ++i) {
        atomic_or(&out[i], in[i]);
        atomic_sub(&out[i], in[63 - i]);
        atomic_xor(&out[i], 0x55u);
        atomic_and(&out[i], 0xffffu);
    }
}
// Each item its own places, by numbers that lanes have to look up: what comes first is done first.
kernel void own(global const uint *in, global uint *out) {
    int i = get_global_id(0);
    int at = i ^ (in[i] & 1) ^ (in[i ^ 1] & 1);
    atomic_or(&out[at], in[i] << 4);
    atomic_sub(&out[at], (uint)i * 3);
    atomic_xor(&out[at], 0x5555u + i);
    atomic_and(&out[at], 0xfffu);
    atomic_add(&out[at], out[at] & 1);
}
kernel void some(global const int *in, global uint *out) {
    int i = get_global_id(0), at = in[i];
    if (at >= 0) {
        atomic_add(&out[at & 63], (uint)at);
        atomic_xor(&out[(at * 5 + 1) & 63], 0u);
        atomic_sub(&out[(at * 3 + i) & 63], 2u);
    }
    atomic_inc(&out[i & 63]);
}
// Somebody asks what one of them found.
kernel void found(global const uint *in, global uint *out, global uint *sums) {
    int i = get_global_id(0);
    uint value = in[i];
    atomic_add(&out[value & 3], value);
    uint before = atomic_add(&out[4 + (value & 3)], 0u);
    atomic_or(&sums[before >= value ? 0 : 1], 1u << (value & 31));
    atomic_add(&sums[2 + (value & 1)], 1u);
}
// More of them than are put together.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void many(global const ulong *in, global ulong *out) {
    int i = get_global_id(0);
    ulong value = in[i] * 0x9e3779b97f4a7c15ul;
    for (int k = 0; k < 12; ++k)
        atom_add(&out[(value >> (4 * k)) % 20], value >> 40);
}
