// options: -cl-std=CL2.0
// Bodies are functions of their own: flow, labels, statics, names.
// run: flow global=1 args: int[10] = 0
// expect: 0 = 45 3 20 7 2 12 5 1 6 1
// run: arrays global=1 args: int[6] = 0
// expect: 0 = 21 9 60 4 11 24
// run: shadow global=2 args: int[4] = 0
// expect: 0 = 1 12 5 24
int helper(int x) { return ^(int y) { return y * 2; }(x) + 1; }

kernel void flow(global int *g)
{
    int n = 10;
    for (int i = 0; i < n; i++)
        g[0] = ^(int s) { for (int j = 0; ; j++) { if (j == i) break; continue; } return s + i; }(g[0]);
    int (^kind)(int) = ^(int x) {
        switch (x) {
        case 1: return 10;
        case 2: { int y = 20; return y; }
        default: goto end;
        }
    end:
        return 3;
    };
    g[1] = kind(9);
    g[2] = kind(2);
    g[3] = helper(3);
    int (^count)(void) = ^{ static int calls; return ++calls; };
    count();
    g[4] = count();
    if (^{ return n > 5; }() && !^{ return n > 50; }())
        g[5] = (^{ return n; }() , ^{ return n + 2; }());
    int limit = 5;
    for (int i = 0; ^(int x) { return x < limit; }(i); i++)
        g[6]++;
    g[7] = __func__[0] == 'f' && ^{ return __func__[0] == 'f'; }();
    long sum = 0;
    do sum += ^{ return 2L; }(); while (sum < 5);
    g[8] = sum;
    g[9] = sizeof(count) == 8 && sizeof(^{ return 1.0; }()) == sizeof(double);
}

kernel void arrays(global int *g)
{
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    struct { int a[2]; } list[2] = {{{1, 2}}, {{3, 4}}};
    const char text[] = "abc";
    ^{
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                ^{ g[0] += grid[i][j]; grid[i][j] *= 10; }();
    }();
    g[1] = grid[1][2] - list[1].a[0] * 17;
    g[2] = ^{ return ^{ return grid[1]; }(); }()[2];
    g[3] = ^{ return list[1].a[1]; }();
    g[4] = ^{ return text[2] - text[0] + sizeof(text) + sizeof(list[0].a) - 3; }();
    g[5] = ^{ return sizeof(grid); }();
}

int value = 1;

kernel void shadow(global int *g)
{
    int id = get_global_id(0);
    int (^outer)(void) = ^{ return value; };
    int value = 5;
    int (^inner)(int) = ^(int x) { int y = value; { int value = x; y += value; } return y + value; };
    g[id * 2] = id ? value : outer();
    g[id * 2 + 1] = id ? inner(14) : inner(2);
}
