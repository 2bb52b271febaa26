// The program's overloads of a builtin's name, beside the builtins.
// run: k global=1 args: int[5] = 0
// expect: 0 = 100 2 3 100 100
#define OV __attribute__((overloadable))
int OV max(float a, int b) { return 100; }
int OV max(int4 a, float b) { return 100; }
int OV dot(int4 a, int4 b) { return 100; }
kernel void k(global int *g)
{
    g[0] = max(1.0f, 2);
    g[1] = (int)max(1.0f, 2.0f);
    g[2] = max(3, 2);
    g[3] = max((int4)3, 2.0f);
    g[4] = dot((int4)1, (int4)2);
}
