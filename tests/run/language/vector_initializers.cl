// Values of vectors in lists of structs and arrays without braces of their own: one for each vector, where a scalar is
// all components. What is in braces of its own is components.
// run: lists global=1 args: uint[24] = 0 ...; uint = 42; uint = 100; uint = 101; float = 77
// expect: 0 = 1 1 2 2 42 42 100 101 42 42 3 3 0 42 0 1 77 3 42 42 1 1 5 6

typedef struct { uint2 a, b, c; } Three;
typedef struct { int n; float2 v; float w; } Mixed;

kernel void lists(global uint *out, uint n, uint first, uint second, float x)
{
    uint2 p = (uint2)(first, second);
    Three scalars = {1, 2, n};
    Three vectors = {p, n, 3};
    Three named = {.b = n};
    Mixed mixed = {1, x, 3};
    uint2 nested[1][2] = {{n, 1}};
    uint2 inside[1] = {{5, 6}};
    vstore2(scalars.a, 0, out);
    vstore2(scalars.b, 1, out);
    vstore2(scalars.c, 2, out);
    vstore2(vectors.a, 3, out);
    vstore2(vectors.b, 4, out);
    vstore2(vectors.c, 5, out);
    out[12] = named.a.x;
    out[13] = named.b.y;
    out[14] = named.c.x;
    out[15] = mixed.n;
    out[16] = (uint)mixed.v.y;
    out[17] = (uint)mixed.w;
    vstore2(nested[0][0], 9, out);
    vstore2(nested[0][1], 10, out);
    vstore2(inside[0], 11, out);
}
