// User functions of one name, called by the types of the arguments.
// run: k global=1 args: int[8] = 0
// expect: 0 = 1 2 3 4 1 5 6 7
#define OV __attribute__((overloadable))
int OV f(int a) { return 1; }
int OV f(float a) { return 2; }
int OV f(int4 a) { return 3; }
int OV f(int a, int b) { return 4; }
static int OV f(global int *a) { return 5; }
int OV f(const private int *a) { return 6; }
int OV min(int4 a, global int *b) { return min(a.x, a.y); }
kernel void k(global int *g)
{
    int x;
    short s = 1;
    g[0] = f(1);
    g[1] = f(1.0f);
    g[2] = f((int4)1);
    g[3] = f(1, 2);
    g[4] = f(s);
    g[5] = f(g);
    g[6] = f(&x);
    g[7] = min((int4)(8, 7, 6, 5), g);
}
