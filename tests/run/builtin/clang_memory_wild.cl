// Copies of more or less than an object has, and to where it overlaps itself.
// run: k global=1 args: uint[8] = 1 2 3 4 5 6 7 8; uint[4] = 0
// expect: 0 = 1 1 2 3 4 6 7 8
// expect: 1 = 3 0x00060005 2 1
kernel void k(global uint *g, global uint *out)
{
    uint pair[2] = { 1, 2 };
    __builtin_memcpy((private char *)pair + 0, g + 2, 4);
    out[0] = pair[0];
    ushort halves[2] = { 0, 0 };
    __builtin_memcpy(halves, g + 4, 2);
    __builtin_memcpy(halves + 1, g + 5, 2);
    out[1] = as_uint((ushort2)(halves[0], halves[1]));
    out[2] = pair[1];
    uint one = 1;
    __builtin_memcpy(&one, &one, sizeof(one));
    __builtin_memcpy(&one, g, 0);
    out[3] = one;
    __builtin_memmove(g + 1, g, 16);
}
