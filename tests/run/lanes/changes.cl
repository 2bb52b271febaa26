// Atomic operations of lanes of which nobody asks what was there: each operation, known and unknown operands, on local and global memory,
// of 32 and 64 bits, where all lanes take part and where some do.
// run: words global=128 local=64 args: uint[64] = 0x0f0f0f0f ... ; uint[128] = iota ; uint = 77
// run: longs global=64 local=32 args: ulong[16] = 5 ... ; ulong[64] = iota ; ulong = 0x100000003
// run: together global=64 local=64 args: uint[32] = 0 ... ; uint[64] = 1 ... ; ulong[4] = 0 ...
// run: together global=64 local=32 args: uint[32] = 0 ... ; uint[64] = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 ... ; ulong[4] = 0 ...
// run: together global=70 local=70 args: uint[32] = 0 ... ; uint[70] = 1 0 0 1 ... ; ulong[4] = 0 ...
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void words(global uint *to, global const uint *from, uint by) {
    local uint cells[32];
    size_t i = get_global_id(0), l = get_local_id(0);
    uint n = from[i] * 2654435761u;
    if (l < 32) cells[l] = l * 0x01010101u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&cells[n >> 27]);
    atomic_add(&cells[n >> 26 & 31], n);
    atomic_sub(&cells[(n >> 20) & 31], by);
    atomic_dec(&cells[(n >> 15) & 31]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_or(&cells[(n >> 10) & 31], 1u << (n & 31));
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_and(&cells[(n >> 5) & 31], ~(1u << (n & 15)));
    if (n & 1) atomic_and(&cells[n >> 27], -3);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_xor(&cells[n & 31], n);
    if (n & 2) atomic_xor(&cells[n >> 27], 0x40u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n % 3 == 0) atomic_add(&cells[n >> 27], 1000u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&to[n >> 26], cells[l & 31]);
    atomic_add(&to[n >> 25 & 63], by);
    atomic_sub(&to[n >> 24 & 63], 3u);
    if (l % 5 < 3) atomic_inc(&to[l]);
}

kernel void longs(global ulong *to, global const ulong *from, ulong by) {
    local ulong cells[8];
    size_t i = get_global_id(0), l = get_local_id(0);
    ulong n = from[i] * 0x9e3779b97f4a7c15UL;
    if (l < 8) cells[l] = l << 40;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&cells[n >> 61], n);
    atom_sub(&cells[n >> 58 & 7], by);
    atom_inc(&cells[n >> 55 & 7]);
    if (n & 16) atom_add(&cells[n >> 52 & 7], 1UL << 63);
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_xor(&cells[n >> 49 & 7], n);
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&to[n >> 60], cells[l & 7]);
    atom_dec(&to[n >> 56 & 15]);
}
// All lanes at one place, some of them, and all but one: numbers that are known, and that are not.
kernel void together(global uint *to, global const uint *at, global ulong *wide) {
    local uint cells[32];
    local ulong longs[4];
    size_t i = get_global_id(0), l = get_local_id(0);
    if (l < 32) cells[l] = 0xff00ff00u + l;
    if (l < 4) longs[l] = l << 40;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = at[i] * 9;
    atomic_inc(&cells[place]);
    atomic_add(&cells[place + 1], (uint)l * 77);
    atomic_sub(&cells[place + 2], 120u);
    atomic_sub(&cells[place + 3], (uint)(i * i));
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_or(&cells[place + 4], 1u << (l & 31));
    atomic_and(&cells[place + 5], ~(1u << (l & 15)));
    atomic_and(&cells[place + 6], -16);
    atomic_xor(&cells[place + 7], (uint)l * 0x1010101u);
    atomic_xor(&cells[place + 8], 0x55u);
    atom_add(&longs[at[i]], (ulong)l << 33);
    atom_sub(&longs[at[i] + 1], 5UL);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 3) atomic_add(&cells[place], 7u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&to[at[i]], cells[l % 32]);
    atomic_inc(&to[16 + at[i]]);
    atom_add(&wide[at[i]], longs[l % 4] + 1);
}
