// What GNU C and clang add computes what it does there.
// run: k args: int[40] = 0; int = 3
// expect: 0 = 5 6 3 7 1 2 3 1 0 2 1 9 9 9 4 0 7 7 7 2 1 20 30 4 3 8 0x3f800000 -1 4 3 2 1 2 7 6 2 1 1 1 8
typedef int ints __attribute__((vector_size(16)));
typedef float floats __attribute__((ext_vector_type(2)));
struct tail { int n; int rest[]; };
struct holder { int before; int empty[0]; int after; };
int count(private int *n) { return ++*n; }
int range(long x)
{
    switch (x) {
    case -5 ... -3: return 1;
    case 0x100000000 ... 0x7fffffffffffffff: return 2;
    case 7: return 3;
    case 10 ... 10: return 4;
    default: return 0;
    }
}
kernel void k(global int *out, int n)
{
    int at = 0;
    global struct tail *t = (global struct tail *)out;
    t->rest[0] = 6;
    t->n = 5;
    at = 2;
    // The condition of ?: is computed once.
    int times = 2;
    out[at++] = count(&times) ?: 9;
    out[at++] = (n - 3) ?: 7;
    out[at++] = range(-4);
    out[at++] = range(1L << 40);
    out[at++] = range(7);
    out[at++] = range(-5) * (range(-6) == 0);
    out[at++] = range(8);
    out[at++] = range(0x7fffffffffffffff);
    out[at++] = range(10) == 4;
    int many[5] = { [0 ... 2] = n * n, 4 };
    for (int i = 0; i < 5; i++)
        out[at++] = many[i];
    times = 6;
    int once[4] = { [0 ... 2] = count(&times), 2 };
    for (int i = 0; i < 4; i++)
        out[at++] = once[i];
    out[at++] = times == 7;
    struct { int x, y; } p = { y: 30, x: 20 };
    out[at++] = p.x;
    out[at++] = p.y;
    ints v = { 1, 2, 3, 4 };
    out[at++] = v.w;
    out[at++] = __builtin_shufflevector(v, v + 4, 6, 2).y;
    out[at++] = __builtin_shufflevector(v, v + 4, 0, 1, 2, 3, 4, 5, 6, 7).s7;
    floats f = { 1.0f, -1.9f };
    out[at++] = __builtin_astype(f.x, int);
    out[at++] = __builtin_convertvector(f, int2).y;
    int4 r = __builtin_shufflevector(v, (int4)(3, 2, 5, 8));
    vstore4(r, 0, out + at);
    at += 4;
    out[at - 1] = r.w;
    out[at++] = __builtin_choose_expr(sizeof(v) == 16, n - 1, "none");
    __auto_type seven = n + 4;
    out[at++] = seven;
    __typeof__(out[0]) six = 6;
    out[at++] = six;
    out[at++] = __builtin_constant_p(n) + _Generic(n, int: 2, default: 3);
    out[at++] = __builtin_constant_p(n++) == 0 && n == 3;
    _Alignas(64) int aligned = 1;
    out[at++] = ((size_t)&aligned & 63) == 0;
    out[at++] = __builtin_offsetof(struct holder, after) == 4 && sizeof(struct tail) == 4;
    out[at++] = __builtin_expect_with_probability(8, 1, 0.5);
}
