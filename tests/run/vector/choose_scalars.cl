// A vector condition between two scalars: their type is not promoted.
// run: k args: char4[1] = -1 0 127 -128; char[2] = 5 6; char4[1] = 0 ...
// expect: 2 = 5 6 6 5
kernel void k(global const char4 *c, global const char *v, global char4 *out) {
    char a = v[0], b = v[1];
    out[0] = c[0] ? a : b;
}
