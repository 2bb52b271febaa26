// Loops around others that are to be unrolled: the inner ones are long, or how long is not known; arrays, values that go out of the loops, exits.
// run: squares global=20 local=10 args: uint[200] = iota ; uint[20] = 0 ... ; int = 7
// run: squares global=20 local=10 args: uint[200] = iota ; uint[20] = 0 ... ; int = 0
// run: sums global=16 local=16 args: uint[64] = 3 1 4 1 5 9 2 6 ... ; uint[64] = 0 ... ; int = 9
// run: leaves global=16 local=16 args: uint[64] = 3 1 4 1 5 9 2 6 ... ; uint[64] = 0 ... ; int = 9
kernel void squares(global const uint *in, global uint *out, int n) {
    int i = get_global_id(0);
    uint kept[8];
    for (int k = 0; k < 2; k++) {
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            kept[j] = in[i + j * 20 + k];
            for (int t = 0; t < 100; t++)
                kept[j] = kept[j] * kept[j] + 3;
            for (int t = 0; t < n; t++)
                kept[j] ^= kept[(j + t) & 7 & j] + t;
        }
        uint sum = 0;
        #pragma unroll
        for (int j = 0; j < 8; j += 2)
            sum += kept[j] * kept[j + 1];
        out[i] += sum;
    }
}
kernel void sums(global const uint *in, global uint *out, int n) {
    int i = get_global_id(0);
    uint last = 0, sum = 0;
    #pragma unroll
    for (int j = 0; j < 4; j++) {
        last = in[i + j];
        for (int t = j; t < n; t++) {
            if (t == 5) continue;
            sum += last * t;
            last += sum >> 3;
        }
    }
    out[i] = sum;
    out[i + 16] = last;
}
kernel void leaves(global const uint *in, global uint *out, int n) {
    int i = get_global_id(0);
    uint sum = 0;
    int j;
    #pragma unroll
    for (j = 0; j < 4; j++) {
        for (int t = 0; t < n; t++)
            sum += in[i + t] * (j + 1);
        if (sum > 200) break;
        #pragma unroll
        for (int a = 0; a < 3; a++)
            for (int t = 0; t < n; t++)
                sum ^= a << t;
    }
    out[i] = sum;
    out[i + 16] = j;
}
