// Groups whose rows are short: lanes of several rows look at neighbours, at one place, or elsewhere, row by row; in all sizes of
// elements, in three dimensions, in rows of one item, of lengths that are no power of two; under masks; and what each row writes
// to one place.
// run: tile global=16,16 local=8,8 args: float[256] = 0 ... ; float[256] = iota ; int = 16
// run: tile global=12,24 local=4,8 args: float[288] = 0 ... ; float[288] = iota ; int = 12
// run: tile global=6,32 local=2,32 args: float[192] = 0 ... ; float[192] = iota ; int = 6
// run: tile global=3,64 local=1,64 args: float[192] = 0 ... ; float[192] = iota ; int = 3
// run: tile global=12,20 local=6,10 args: float[240] = 0 ... ; float[240] = iota ; int = 12
// run: tile global=8,9 local=8,9 args: float[72] = 0 ... ; float[72] = iota ; int = 8
// run: kinds global=8,16 local=4,16 args: char[128] = iota ; short[128] = iota ; long[128] = iota ; double[128] = iota
// run: planes global=4,8,8 local=4,4,4 args: int[256] = 0 ... ; int[256] = iota
// run: guarded global=16,16 local=8,8 args: int[256] = 0 ... ; int[256] = iota ; int = 13 ; int = 11
// run: rows global=8,16 local=8,8 args: int[16] = 0 ... ; int[128] = iota ; int[128] = 0 ...
// run: looped global=8,16 local=8,8 args: int[128] = 0 ... ; int[128] = iota ; int = 5
kernel void tile(global float *to, global const float *from, int width) {
    local float kept[64][33];
    int lx = get_local_id(0), ly = get_local_id(1);
    int at = get_global_id(1) * width + get_global_id(0);
    kept[ly][lx] = from[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < (int)get_local_size(0); k++)
        sum += kept[ly][k] * (k + 1) + kept[get_local_size(1) - 1 - ly][lx];
    to[at] = sum + kept[lx][ly % get_local_size(0)];
}

kernel void kinds(global char *a, global short *b, global long *c, global double *d) {
    local char shared[16];
    int y = get_local_id(1), at = get_global_id(1) * 8 + get_global_id(0);
    shared[y] = y * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    char e = a[at] + shared[y];
    short f = b[at] * shared[y ^ 1];
    long g = c[at] - shared[15 - y];
    d[at] += g * 0.5 + e;
    a[at] = e;
    b[at] = f;
    c[at] = g ^ f;
}

kernel void planes(global int *to, global const int *from) {
    local int kept[4][4][4];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    size_t at = (get_global_id(2) * 8 + get_global_id(1)) * 4 + get_global_id(0);
    kept[z][y][x] = from[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[at] = kept[y][z][x] + 2 * kept[z][x][y] + 3 * kept[z][y][0] + 5 * kept[0][y][x];
}

kernel void guarded(global int *to, global const int *from, int width, int height) {
    local int kept[8][8];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    kept[ly][lx] = 0;
    if (x < width && y < height)
        kept[ly][lx] = from[y * 16 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y < height)
        to[y * 16 + x] = kept[ly][lx] + kept[ly][0] + (kept[ly][lx] & 1 ? kept[7 - ly][lx] : 7);
}

kernel void rows(global int *to, global const int *from, global int *each) {
    local int sums[8];
    int x = get_local_id(0), y = get_local_id(1);
    sums[y] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    each[get_global_id(1) * 8 + x] = sums[y] * from[get_global_id(1) * 8] + from[x];
    to[get_global_id(1)] = sums[y] + from[get_global_id(1)];
}

kernel void looped(global int *to, global const int *from, int n) {
    local int kept[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    int at = get_global_id(1) * 8 + x, sum = 0;
    for (int k = 0; k < n; k++) {
        kept[y][x] = from[at] + k * sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < y; j++)
            sum += kept[j][x] - kept[y][j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    to[at] = sum;
}
