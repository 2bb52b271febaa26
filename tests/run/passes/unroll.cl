// Loops that turn a few times: hints of every spelling, further exits, values behind the loop, nested ones, arrays.
// run: sums global=4 local=4 args: int[4] = iota; int[20] = 0 ...
// expect: 1 = 6 10 14 18 0 4 8 12 6 10 14 18 5 6 7 8 12 13 14 15
// run: find global=6 local=3 args: int[6] = iota; int[6] = 0 ...
// expect: 1 = 0 1 2 3 104 105
// run: tables global=3 local=3 args: int[3] = 1 2 3; int[3] = 0 ...
// expect: 1 = 84 168 252
// run: ends global=2 local=1 args: int[2] = 5 6; int[4] = 0 ...
// expect: 1 = 8 8 35 42
kernel void sums(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int a = 0, b = 0, c = 0, d = in[i], e = in[i];
    #pragma unroll
    for (int k = 0; k < 4; k++)
        a += in[i] + k;
    #pragma unroll 2
    for (int k = 1; k <= 8; k <<= 1)
        b += in[i];
    __attribute__((opencl_unroll_hint))
    for (int k = 3; k >= 0; --k)
        c += in[i] + k;
    if (d >= 0)
        #pragma unroll(5)
        while (d < in[i] + 5)
            d++;
    int left = 3;
    __attribute__((opencl_unroll_hint(4)))
    do
        e += 4;
    while (--left);
    out[i] = a;
    out[4 + i] = b;
    out[8 + i] = c;
    out[12 + i] = d;
    out[16 + i] = e;
}

// A further exit.
kernel void find(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int found = 100 + in[i];
    for (int k = 0; k < 4; k++)
        if (in[i] == k) {
            found = k;
            break;
        }
    out[i] = found;
}

// Loops in loops over arrays with indices that become constants, one of which is written under a condition.
kernel void tables(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int table[3][4];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) {
            table[y][x] = in[i] * (y * 4 + x + 1);
            if (x == y)
                table[y][x] += in[i] * 2;
        }
    int sum = 0;
    #pragma nounroll
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            sum += table[y][x];
    out[i] = sum;
}

// What a loop leaves behind is what its last turn left; a loop may not turn at all.
kernel void ends(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int k = 0, product = 0;
    for (; k < 8; k += 2)
        if (k % 4 == 2)
            continue;
        else
            product += in[i];
    for (int none = 5; none < 5; none++)
        product = -1;
    out[i] = k;
    out[2 + i] = product * 2 + in[i] * (product > 0) + in[i] * 2;
}
