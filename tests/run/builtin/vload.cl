// vload and vstore, three lanes stepping by three.
// run: k args: int[12] = iota; int[12] = -1 ...
// expect: 1 = 3 4 5 0 1 2 -1 -1 -1 -1 6 7
kernel void k(global const int *in, global int *out) {
    vstore3(vload3(1, in), 0, out);
    vstore3(vload3(0, in), 1, out);
    vstore2(vload2(3, in), 5, out);
}
