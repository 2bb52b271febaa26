// Promotions, conversions, wrap-around, division that would trap.
// run: k args: int[2] = -2147483648 0; int[12] = 0 ...
// expect: 1 = -2147483648 0 -2147483648 0 -128 255 1 -1 2147483647 4 -6 1
kernel void k(global const int *in, global int *out) {
    int min = in[0], zero = in[1];
    out[0] = min / (zero - 1);
    out[1] = min % (zero - 1);
    out[2] = min / zero;
    out[3] = min % zero;
    char c = (char)(127 + 1 + zero);
    out[4] = c;
    uchar u = (uchar)(zero - 1);
    out[5] = u;
    out[6] = (uint)(zero - 1) > 0;
    out[7] = (short)(ushort)65535;
    out[8] = (int)(((ulong)1 << 31) - 1 + zero);
    out[9] = sizeof('a' + u);
    out[10] = -13 / 2;
    out[11] = (bool)(zero + 256);
}
