// Private variables are aligned as their types say, in kernels and in functions that stay
// calls.
// run: k global=4 local=2 args: int[4] = 7 ...
// expect: 0 = 0 0 0 0
// run: deep global=2 local=2 args: int[2] = 7 ...
// expect: 0 = 0 0
int misaligned(private double16 *p, private float4 *q, private char *c)
{
    return ((ulong)p & 127) != 0 || ((ulong)q & 15) != 0 || ((ulong)c & 63) != 0;
}

__attribute__((noinline)) int inner(int n)
{
    char pad[3] = { n, 2, 3 };
    double16 d = n;
    float4 f = pad[n & 1];
    char c __attribute__((aligned(64))) = n;
    return misaligned(&d, &f, &c) + (d.s0 + f.x + c < 0.0);
}

__attribute__((noinline)) int outer(int n)
{
    int odd = n;
    double16 d = odd;
    return inner(odd) + (((ulong)&d & 127) != 0) + (d.s3 < 0.0);
}

kernel void k(global int *g)
{
    char pad[5] = { get_local_id(0), 2, 3 };
    double16 d = pad[1];
    float4 f = pad[2];
    char c __attribute__((aligned(64))) = 1;
    g[get_global_id(0)] = misaligned(&d, &f, &c);
}

kernel void deep(global int *g)
{
    g[get_global_id(0)] = outer(get_local_id(0)) + inner(3);
}
