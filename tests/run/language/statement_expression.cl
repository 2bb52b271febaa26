// GNU's statement expressions: the last expression is the value; control may leave them.
// run: k global=4 local=2 args: int[4] = 5 -3 8 0; int[4] = 0 ...
// expect: 1 = 127 87 144 100
// run: leave global=4 local=4 args: int[4] = 0 1 2 3; int[4] = 0 ...
// expect: 1 = 10 11 0 7
// run: barriers global=4 local=4 args: int[4] = 1 2 3 4
// expect: 0 = 3 5 7 5
#define MAX(a, b) ({ int x = (a); int y = (b); x > y ? x : y; })
#define SUM(v) ({ int s = 0; for (int i = 0; i < 4; ++i) s += (v)[i]; s; })

kernel void k(global const int *in, global int *out)
{
    int n = in[get_global_id(0)], a[4] = { n, 2 * n, 3, n & 1 };
    int4 v = ({ int4 t = n; t.x = 100; t; });
    ({ out[get_global_id(0)] = 1; });
    out[get_global_id(0)] = v.x + MAX(MAX(n, -n), MAX(3, 1)) * (n > 0) + SUM(a) + ({ n; }) - ({ (n & 1) + 3; }) + (n == 0 ? 0 : ({ int q = n; q /= 2; q; }));
}

kernel void leave(global const int *in, global int *out)
{
    int n = in[get_global_id(0)], r = 7;
    for (int i = 0; i < 3; ++i)
        r = n == 3 ? ({ break; 0; }) : n == 2 ? ({ return; 1; }) : 10 + n;
    out[get_global_id(0)] = r;
}

kernel void barriers(global int *g)
{
    local int t[4];
    int l = get_local_id(0);
    int sum = g[l] + ({ t[l] = g[l]; barrier(CLK_LOCAL_MEM_FENCE); t[(l + 1) % 4]; });
    g[l] = sum;
}
