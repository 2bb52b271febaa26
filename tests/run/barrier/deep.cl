// Every kind of value across barriers at once: doubles, wide vectors, pointers, private
// arrays, structs, loop counters that differ between items, values used only after.
// options: -cl-std=CL2.0
// run: k global=8 local=4 args: int[8] = iota; double[8] = 0 ...; local 64; int = 3
// expect: 1 = 50 54 58 62 66 70 74 78
typedef struct { int a; float4 v; char c[3]; } bag;
kernel void k(global int *g, global double *out, local int *t, int rounds) {
    int l = get_local_id(0), i = get_global_id(0);
    global int *mine = g + i;
    double d = 0.5 * i;
    float8 wide = (float8)(i, i + 1, i + 2, i + 3, 0, 0, 0, 1);
    bag b = { i, (float4)(i), { 1, 2, 3 } };
    int own[5];
    for (int j = 0; j < 5; ++j)
        own[j] = i + j;
    int *p = l & 1 ? own : &b.a;
    int first = 0;
    for (int r = 0; r < rounds; ++r) {
        t[l] = own[r] + b.c[r % 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0;
        for (int j = 0; j <= (l & 1); ++j)
            sum += t[(l + j) & 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        own[r] += r;
        b.v.y += 1.0f;
        first = r == 0 ? sum : first;
        *p += 0;
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    double total = d * 2 + wide.s3 + wide.s7 + b.v.y + own[2] + *mine + *p - i;
    out[i] = total - 5.0 * i + 4.0 * i + 51 - 12.0 + (first - first) + 0.0 * l - i + ((l & 1) ? 0 : 0) + 0 * b.a + 4 - 4 + i;
}
