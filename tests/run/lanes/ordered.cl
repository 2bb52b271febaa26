// Atomic loads and stores of lanes, and volatile ones: in rows, backwards, at one place, anywhere, where some lanes are off; of 32 and 64 bits, of
// every order, on global and local memory. Each item's are in its order.
// options: -cl-std=CL2.0
// run: all global=70 local=35 args: int[140] = iota ; int[280] = 0 ... ; long[70] = iota ; long[70] = 0 ...
// run: floats global=64 local=32 args: float[64] = iota ; float[64] = 0 ... ; double[64] = 0 ...
// run: some global=70 local=70 args: int[70] = 5 0 0 9 -1 ... ; int[280] = 3 ...
// run: exchanged global=64 local=32 args: uint[64] = 7 1 9 ... ; uint[64] = 0 ...
// run: kept global=64 local=32 args: uint[64] = 7 1 9 ... ; uint[192] = 0 ... ; uchar[64] = iota
// run: unasked global=70 local=70 args: int[70] = 5 0 0 9 -1 ... ; int[140] = 3 ...
// run: one global=64 local=64 args: int[64] = 0 ... ; int[4] = 77 3 2 1
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define LOAD(p, order) atomic_load_explicit((p), memory_order_##order, memory_scope_device)
#define STORE(p, value, order) atomic_store_explicit((p), (value), memory_order_##order, memory_scope_device)
kernel void all(global atomic_int *in, global atomic_int *out, global atomic_long *from, global atomic_long *to) {
    int i = get_global_id(0), n = get_global_size(0);
    STORE(&out[i], LOAD(&in[i], relaxed) + 1, relaxed);
    STORE(&out[2 * n - 1 - i], LOAD(&in[n - 1 - i], acquire), release);
    STORE(&out[2 * n + 2 * (i % 35)], i % 35, seq_cst);
    STORE(&to[(i * 3) % n], LOAD(&from[(i * 3) % n], seq_cst) * 5, release);
    // What was just stored is what is loaded.
    STORE(&out[3 * n + i], 5 * i, relaxed);
    int before = LOAD(&out[3 * n + i], relaxed);
    STORE(&out[3 * n + i], before + 1, seq_cst);
    STORE(&out[3 * n + i], LOAD(&out[3 * n + i], seq_cst) + before, relaxed);
}
kernel void floats(global atomic_float *in, global atomic_float *out, global atomic_double *wide) {
    local atomic_float cells[32];
    int i = get_global_id(0), l = get_local_id(0);
    STORE(&cells[l], LOAD(&in[i], relaxed) * 0.5f, seq_cst);
    barrier(CLK_LOCAL_MEM_FENCE);
    float found = atomic_load_explicit(&cells[31 - l], memory_order_acquire, memory_scope_work_group);
    STORE(&out[i], found, relaxed);
    STORE(&wide[i], found * 3.0, release);
}
kernel void some(global atomic_int *in, global atomic_int *out) {
    int i = get_global_id(0), n = get_global_size(0);
    int found = LOAD(&in[i], relaxed);
    if (found > 0) {
        STORE(&out[i], LOAD(&in[n - 1 - i], relaxed), relaxed);
        STORE(&out[2 * n + (i * 3) % n], i, seq_cst);
        if (i & 1)
            STORE(&out[n + i], LOAD(&out[i], acquire) + found, release);
    }
}
kernel void exchanged(global atomic_uint *in, global atomic_uint *out) {
    uint i = get_global_id(0), sum = 0;
    for (uint n = 0; n < 8; n++)
        sum = 3 * sum + LOAD(&in[i ^ n], relaxed);
    STORE(&out[i ^ 1], sum, relaxed);
}
kernel void kept(global volatile const uint *in, global volatile uint *out, global volatile uchar *bytes) {
    local volatile uint cells[32];
    int i = get_global_id(0), l = get_local_id(0), n = get_global_size(0);
    cells[l] = in[i];
    cells[l] += in[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = cells[l ^ 5] + cells[31 - l];
    if (in[i] > 4)
        out[n + (i * 5) % n] = in[63 - i];
    bytes[i] = bytes[i] * 2;
    out[2 * n + i] = bytes[i];
}
// Some lanes load what nobody looks at.
kernel void unasked(global atomic_int *in, global atomic_int *out) {
    uint i = get_global_id(0);
    if (LOAD(&in[i], relaxed) > 0) {
        STORE(&out[2 * i], i, seq_cst);
        LOAD(&out[2 * i], seq_cst);
    }
}
// All at one place: one of them, the last one's, is left.
kernel void one(global int *out, global atomic_int *cells) {
    int i = get_global_id(0);
    out[i] = LOAD(&cells[0], relaxed) + LOAD(&cells[1], seq_cst);
    STORE(&cells[2], 9, relaxed);
    STORE(&cells[3], 8, seq_cst);
}
