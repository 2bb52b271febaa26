// Strides that are arguments: those that are one are constants to the code of a launch, others are not.
// run: dot global=64 local=16 args: float[64] = iota; int = 1; float[64] = iota; int = 1; float[4] = 0 ... ; int = 64
// run: dot global=16 local=16 args: float[64] = iota; int = 3; float[64] = iota; int = 1; float[4] = 0 ... ; int = 21
// run: dot global=48 local=16 args: float[64] = iota; int = 1; float[64] = iota; int = 2; float[4] = 0 ... ; int = 32
// run: copy global=37 local=37 args: int[80] = iota; long = 1; long = 2; int[80] = 0 ...
// run: copy global=19 local=19 args: int[80] = iota; long = 2; long = 1; int[80] = 0 ...
// run: copy global=37 local=37 args: int[80] = iota; long = -1; long = 1; int[80] = 0 ...
// run: copy global=37 local=37 args: int[80] = iota; long = 4294967297; long = 1; int[80] = 0 ...
// run: matrix global=8,6 local=8,2 args: short[64] = iota; ushort = 1; ushort = 8; short[64] = 0 ...
// run: matrix global=8,6 local=8,2 args: short[64] = iota; ushort = 8; ushort = 1; short[64] = 0 ...
// run: squared global=16 local=16 args: int[32] = 0 ... ; int = 1
// run: squared global=16 local=16 args: int[32] = 0 ... ; int = 2
kernel void dot(global const float *x, int incx, global const float *y, int incy, global float *out, int n) {
    local float sums[16];
    int lid = get_local_id(0);
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i * incx] * y[i * incy];
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int part = 8; part > 0; part /= 2) {
        if (lid < part)
            sums[lid] += sums[lid + part];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[get_group_id(0)] = sums[0];
}
// A step of 2³² + 1 is one in 32 bits, and goes one by one there.
kernel void copy(global const int *in, long step, long other, global int *out) {
    int i = get_global_id(0);
    out[(uint)(i * other)] = in[(uint)(40 + (int)(i * (int)step))];
}
kernel void matrix(global const short *in, ushort across, ushort down, global short *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 8 + x] = in[x * across + y * down] + across;
}
kernel void squared(global int *out, int inc) {
    int i = get_global_id(0);
    out[i * inc] = i * inc * inc + (inc == 1 ? 100 : 0);
}
