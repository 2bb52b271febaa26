// options: -cl-std=CL2.0
static int twice(int x) { return 2 * x; }
kernel void k(global int *g)
{
    int captured = 3, nested = 4, outside = 5; // warning: unused variable 'outside'
    int lid = get_local_id(0);
    int (^add)(int) = ^(int x) { int unused; return x + captured; }; // warning: unused variable 'unused'
    int (^deep)(int) = ^(int x) { int (^in)(int) = ^(int y) { return y + nested; }; return in(x); };
    int (^missing)(int) = ^int(int x) { if (x) return 1; }; // warning: 'block in k' may end without returning a value
    void (^never)(void) = ^{ }; // warning: unused variable 'never'
    g[0] = add(1) + deep(2) + missing(3) + twice(4);
    add(1);
    void (^waits)(void) = ^{ barrier(CLK_LOCAL_MEM_FENCE); };
    if (lid == 0)
        g[1] = 2;
    waits();
}
