// options: -cl-std=CL2.0
// Functions for instructions of SPIR-V: packets of so many bytes, and ranges.

typedef struct { int a, b, c; } words;
typedef struct { long a; char b; } wide;
typedef struct { char a, b, c; } bytes;

kernel void put(write_only pipe words p, write_only pipe wide q, write_only pipe bytes r, global int *out)
{
    words w = {1, 2, 3};
    wide v = {4, 5};
    bytes b = {6, 7, 8};
    out[0] = __spirv_write_pipe(p, (const private uchar *)&w, 12, 4);
    out[1] = __spirv_write_pipe(q, (const private uchar *)&v, 16, 8);
    reserve_id_t id = reserve_write_pipe(r, 2);
    out[2] = __spirv_write_pipe(r, id, 1, (const private uchar *)&b, 3, 1);
    b.a = 60;
    out[3] = __spirv_write_pipe(r, id, 0, (uchar *)&b, 3, 1);
    out[4] = __spirv_write_pipe(r, id, 2, (const private uchar *)&b, 3, 1);
    commit_write_pipe(r, id);
}

kernel void get(read_only pipe words p, read_only pipe wide q, read_only pipe bytes r, global int *out)
{
    words w;
    wide v;
    bytes b;
    out[0] = __spirv_read_pipe(p, (private uchar *)&w, 12, 4) * 1000 + w.a * 100 + w.b * 10 + w.c;
    out[1] = __spirv_read_pipe(q, (uchar *)&v, 16, 8) * 1000 + (int)v.a * 10 + v.b;
    out[2] = __spirv_read_pipe(r, (private uchar *)&b, 3, 1) * 1000 + b.a * 100 + b.b * 10 + b.c;
    reserve_id_t id = reserve_read_pipe(r, 1);
    out[3] = __spirv_read_pipe(r, id, 0, (private uchar *)&b, 3, 1) * 1000 + b.a * 100 + b.b * 10 + b.c;
    commit_read_pipe(r, id);
    out[4] = __spirv_read_pipe(p, (private uchar *)&w, 12, 4);
}

// run: put global=1 local=1 args: pipe 12x2; pipe 16x2; pipe 3x3; int[5] = 9 ...
// expect: 3 = 0 0 0 0 -1
// then: get global=1 local=1 args: pipe 12x2; pipe 16x2; pipe 3x3; int[5] = 9 ...
// expect: 3 = 123 45 6078 678 -1

kernel void ranges(global int *same)
{
    private ulong size[3] = {8, 6, 4}, local_size[3] = {4, 3, 2}, none[3] = {0, 0, 0}, offset[3] = {1, 2, 3};
    ndrange_t made[] = {
        __spirv_nd_range(8, 0, 0), __spirv_nd_range(8, 4, 1), __spirv_nd_range2(size, none, none),
        __spirv_nd_range2(size, local_size, offset), __spirv_nd_range3(size, none, none),
        __spirv_nd_range3(size, local_size, offset),
    };
    ndrange_t wanted[] = {
        ndrange_1D(8), ndrange_1D(1, 8, 4), ndrange_2D(size), ndrange_2D(offset, size, local_size), ndrange_3D(size),
        ndrange_3D(offset, size, local_size),
    };
    for (int i = 0; i < 6; i++) {
        private ulong *a = (private ulong *)&made[i], *b = (private ulong *)&wanted[i];
        same[i] = 1;
        for (int j = 0; j < sizeof(ndrange_t) / 8; j++)
            same[i] &= a[j] == b[j];
    }
}

// run: ranges global=1 local=1 args: int[6] = 0 ...
// expect: 0 = 1 1 1 1 1 1
