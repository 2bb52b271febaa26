// What clang adds is used in silence.
// options: -cl-std=CL1.2
struct tail { int n; int rest[]; };
int helper(int x) { return x; }
kernel void k(global int *g, global struct tail *t)
{
    int many[4] = { [0 ... 2] = helper(g[0]), 4 };
    int4 v = vload4(0, g);
    __auto_type w = __builtin_shufflevector(v, v + 1, 0, 5, 2, 7);
    __typeof__(many) copy = { 1 };
    g[0] = helper(1) ?: 2;
    g[1] = ({ __typeof__(g[0]) once = g[1]; once + w.x + copy[0]; });
    switch (g[0]) { case 1 ... 9: t->rest[1] = many[0]; [[fallthrough]]; default: break; }
    (void)__builtin_expect(g[0], 1);
    __builtin_assume(g[0] > 0);
}
