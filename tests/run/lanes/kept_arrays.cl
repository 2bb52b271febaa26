// Private arrays that live across barriers: indices that are constant, the same for all, and of the item; filled, copied, of
// vectors, of several sizes; and an address that is computed before a barrier and stored to behind it.
// run: numbers global=64 local=32 args: int[64] = 0 ... ; int[64] = iota ; local 128 ; int = 5
// run: numbers global=37 local=37 args: int[37] = 0 ... ; int[37] = iota ; local 148 ; int = 3
// run: numbers global=70 local=7 args: int[70] = 0 ... ; int[70] = iota ; local 28 ; int = 4
// run: kinds global=48 local=16 args: int[48] = 0 ... ; local 64 ; int = 2
// run: vectors global=40 local=20 args: float[160] = 0 ... ; float[160] = iota ; local 80
// run: mixed global=32 local=32 args: int[32] = 0 ... ; local 128 ; int = 6
// run: places global=12,6 local=12,3 args: float[80] = 0 ... ; float[80] = iota ; local 144 ; int = 12
kernel void numbers(global int *to, global const int *from, local int *shared, int n) {
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    int data[6] = { 0 };
    for (int k = 0; k < n; k++)
        data[k] = from[i] * (k + 1);
    int sum = 0;
    for (int turn = 0; turn < n; turn++) {
        shared[l] = data[turn] + data[(l + turn) % 6];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += shared[(l + turn) % size];
        data[(l + 2 * turn) % 6] += turn;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    to[i] = sum + data[0] + data[5] * 3;
}

kernel void kinds(global int *to, local int *shared, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    char bytes[5];
    short words[3];
    long longs[9];
    double doubles[2];
    for (int k = 0; k < 5; k++)
        bytes[k] = i + k;
    for (int k = 0; k < 3; k++)
        words[k] = i * k;
    for (int k = 0; k < 9; k++)
        longs[k] = (long)i << k;
    doubles[0] = i;
    doubles[1] = i * 0.5;
    shared[l] = bytes[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    doubles[n & 1] += shared[15 - l];
    words[n % 3] += bytes[l % 5];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[i] = bytes[l % 5] + words[n] * 3 + (int)longs[l % 9] + (int)(doubles[0] * 2 + doubles[1]);
}

kernel void vectors(global float *to, global const float *from, local float *shared) {
    int i = get_global_id(0), l = get_local_id(0);
    float4 data[3];
    for (int k = 0; k < 3; k++)
        data[k] = vload4(i, from) * (float)(k + 1);
    for (int k = 0; k < 3; k++) {
        shared[l] = data[k].y;
        barrier(CLK_LOCAL_MEM_FENCE);
        data[(k + l) % 3].z += shared[19 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    vstore4(data[0] + data[1].yzwx + data[2] * 2.0f, i, to);
}

// Elements of several sizes, and addresses that get away, stay together.
void change(int *numbers, int n) {
    for (int k = 0; k < n; k++)
        numbers[k % 4] += k;
}

kernel void mixed(global int *to, local int *shared, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    struct { char kind; int numbers[4]; } data;
    data.kind = i;
    for (int k = 0; k < 4; k++)
        data.numbers[k] = i + k;
    shared[l] = data.numbers[n & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    change(data.numbers, n);
    data.numbers[l & 3] += shared[31 - l] + data.kind;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[i] = data.numbers[0] + data.numbers[1] * 3 + data.numbers[2] * 5 + data.numbers[3] * 7;
}

kernel void places(global float *to, global const float *from, local float *shared, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    int l = get_local_id(1) * get_local_size(0) + get_local_id(0);
    global float *out = (global float *)((global char *)to + (y * width * 4 + x * 4 + 8));
    int at = (y * 2 - (y - 1) - 1) * width + (x * 3 - x * 2);
    shared[l] = from[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = shared[35 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    *out = sum + from[at + 1];
}
