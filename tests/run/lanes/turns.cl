// Loops in steps of the whole range whose turns do not depend on each other: pairs, parts of records, what is read and written in one
// place, and choices inside. More turns than items, and a bound that is not reached.
// run: pairs global=8 local=4 args: int[64] = -1 ...; int[32] = iota; int = 31
// expect: 0 = 0 1 1 3 2 5 3 7 4 9 5 11 6 13 7 15 8 17 9 19 10 21 11 23 12 25 13 27 14 29 15 31 16 33 17 35 18 37 19 39 20 41 21 43 22 45 23 47 24 49 25 51 26 53 27 55 28 57 29 59 30 61 -1 -1
// run: in_place global=3 local=1 args: float[40] = iota; long = 37
// expect: 0 = 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 33 35 37 39 41 43 45 47 49 51 53 55 57 59 61 63 65 67 69 71 73 37 38 39
// run: chosen global=4 local=4 args: short[40] = iota; uchar[40] = iota; uint = 33
// expect: 0 = 0 -1 2 -3 4 -5 6 -7 8 -9 10 -11 12 -13 14 -15 16 -17 18 -19 20 -21 22 -23 24 -25 26 -27 28 -29 30 -31 32 33 34 35 36 37 38 39
// run: pairs global=200 local=40 args: int[4000] = -1 ...; int[2000] = iota; int = 1999
// run: in_place global=64 local=32 args: float[5000] = iota; long = 4999
// run: chosen global=100 local=25 args: short[3000] = iota; uchar[3000] = iota; uint = 2777
// run: behind global=16 local=16 args: int[200] = iota; int = 160
// run: far global=16 local=16 args: int[400] = iota; int = 160
kernel void pairs(global int *to, global const int *from, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        to[2 * i] = from[i];
        to[2 * i + 1] = 2 * from[i] + 1;
    }
}

kernel void in_place(global float *x, long n) {
    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        x[i] = 2 * x[i] + 1;
}

kernel void chosen(global short *to, global const uchar *from, uint n) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        if (from[i] & 1)
            to[i] = -to[i];
}

// What a turn writes the next one of the same item reads.
kernel void behind(global int *x, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        x[i + 16] = x[i] + 1;
}

// The same by the size of the range.
kernel void far(global int *x, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        x[i + get_global_size(0)] = x[i] + get_global_id(0);
}
