// options: -cl-std=CL2.0
// automatic variables captured as const copies
struct s { int a; float b[2]; };
constant int C = 3;
kernel void k(global int*g){ int m=1; void (^b)(void)=^{ g[0]=m; }; m=2; b(); }
kernel void l(global int *g, struct s p, local int *q) {
    local int t;
    static global int u;
    float4 v = 1.0f;
    int array[4] = {1, 2, 3, 4};
    const int *r = array;
    int (^b)(int) = ^(int x) {
        int own = p.a;
        own += (int)v.x + (int)p.b[1];
        t = u + C;
        u = 4;
        array[1] = x;
        return own + array[x] + r[1] + ^{ return own + x + p.a; }();
    };
    g[0] = b(1);
}
