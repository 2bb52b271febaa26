// Places in local memory that groups of two dimensions compute of both ids, and that are one number again: by powers of two
// and by other numbers, in order and transposed, signed and unsigned.
// run: folded global=8,16 local=8,8 args: float[128] = iota; float[128] = 0 ...
// run: folded global=16,8 local=16,4 args: float[128] = iota; float[128] = 0 ...
// run: folded global=12,10 local=6,5 args: float[128] = iota; float[128] = 0 ...
// run: folded global=4,32 local=2,32 args: float[128] = iota; float[128] = 0 ...
// run: eight global=8,16 local=8,8 args: float[128] = iota; float[128] = 0 ...
// run: eight global=4,16 local=4,16 args: float[128] = iota; float[128] = 0 ...
// run: eight global=8,8 local=8,4 args: float[128] = iota; float[128] = 0 ...
kernel void folded(global const float *a, global float *out) {
    local float tile[256];
    uint x = get_local_id(0), y = get_local_id(1), w = get_local_size(0);
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    tile[y * w + x] = a[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[y * w + (w - 1 - x)] + tile[w * y + x] * 2;
}

kernel void eight(global const float *a, global float *out) {
    local float2 tile[256];
    int x = get_local_id(0), y = get_local_id(1);
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    tile[8 * y + x] = (float2)(a[at], at);
    barrier(CLK_LOCAL_MEM_FENCE);
    float2 v = tile[x + y * 8] + tile[8 * y + (x ^ 1)];
    out[at] = v.x + v.y;
}
