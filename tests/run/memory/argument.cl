// Struct and vector arguments by value, and private arrays with dynamic indices.
// run: k global=4 local=1 args: int4 = 1 2 3 4; char = -5; int[4] = 0 ...
// expect: 2 = -4 -3 -2 -1
kernel void k(int4 v, char c, global int *out) {
    int table[4];
    table[0] = v.x;
    table[1] = v.y;
    table[2] = v.z;
    table[3] = v.w;
    int i = get_global_id(0);
    out[i] = table[i & 3] + c;
}
