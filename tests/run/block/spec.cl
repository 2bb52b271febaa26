// options: -cl-std=CL2.0
// The examples of s6.12.
// run: k global=1 args: int[1] = 6; int[1] = 4; int = 1
// expect: 0 = 16
// run: k global=1 args: int[1] = 6; int[1] = 4; int = 0
// expect: 0 = 32
// run: globals global=1 args: int[3] = 0
// expect: 0 = 49 5 9
void foo(int *x, int (^bar)(int, int)) { *x = bar(*x, *x); }

kernel void k(global int *x, global int *z, int some)
{
    if (some)
        foo(x, ^int(int x, int y) { return x + y + *z; });
    else
        foo(x, ^int(int x, int y) { return (x * y) - *z; });
}

int multiplier = 7;
int (^myBlock)(int) = ^(int num) { return num * multiplier; };
int GlobalInt = 5;
int (^getGlobalInt)(void) = ^{ return GlobalInt; };

kernel void globals(global int *g)
{
    g[0] = myBlock(7);
    g[1] = getGlobalInt();
    GlobalInt = 9;
    g[2] = getGlobalInt();
}
