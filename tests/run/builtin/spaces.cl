// Which space a generic pointer points into (s6.13.9): known where the pointer is made, and
// found out where it is not. Fences: 1 local, 2 global, 0 private.
// options: -cl-std=CL2.0
// run: k global=2 local=1 args: int[16] = 0 ...; local 16; int = 0
// expect: 0 = 2 1 0 2 1 0 2 0 2 1 0 2 1 0 2 0
// run: k global=2 local=1 args: int[16] = 0 ...; local 16; int = 1
// expect: 0 = 2 1 0 2 1 0 2 0 2 1 0 2 1 0 2 0
// run: three global=4 local=4 args: int[4] = 0 ...; local 16
// expect: 0 = 111 222 333 111
// run: kept global=4 local=4 args: int[4] = 0 ...
// expect: 0 = 10 11 12 13
global int program_scope = 5;

int classify(int *p) { return get_fence(p); }

kernel void k(global int *g, local int *l, int way)
{
    int mine[4] = { 1, 2, 3, way };
    local int ours[2];
    global int *out = g + 8 * get_group_id(0);
    int *which[2] = { mine, ours };
    out[0] = classify(g);
    out[1] = classify(l);
    out[2] = classify(&mine[way]);
    out[3] = classify(way ? &program_scope : g);
    out[4] = classify(way ? ours : l + 1);
    out[5] = classify(which[way & 0]);
    out[6] = (to_global(which[way]) == NULL) + (to_global(&program_scope) != NULL);
    out[7] = to_local(which[0]) != NULL || to_private(which[1]) != NULL || to_private((int *)g) != NULL;
}

int turn(int *p, int n)
{
    global int *a = to_global(p);
    local int *b = to_local(p);
    private int *c = to_private(p);
    if (a) return a[0] + 100 + n;
    if (b) return b[0] + 200 + n;
    return c[0] + 300 + n;
}

kernel void three(global int *g, local int *l)
{
    int i = get_local_id(0), mine = 3;
    int *places[3] = { g + i, l + i, &mine }, *where = places[i % 3];
    g[i] = 1;
    l[i] = 2;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int n = turn(where, (i % 3 + 1) * 10);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    g[i] = n;
}

// A private array that lives across a barrier is private too.
kernel void kept(global int *g)
{
    int i = get_local_id(0), mine[2] = { i, 10 };
    int *p = mine + (g[0] & 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    private int *q = to_private(p);
    barrier(CLK_GLOBAL_MEM_FENCE);
    g[i] = q ? q[0] + q[1] : -1;
}
