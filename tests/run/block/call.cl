// options: -cl-std=CL2.0
// Every way a block reaches its call.
// run: direct global=1 args: int[8] = 0
// expect: 0 = 6 4 25 7 9 3
// run: parameters global=1 args: int[12] = iota
// expect: 0 = 66 66 11 6 7 48 7 5 8 9 10 11
// run: structs global=1 args: int[4] = 0
// expect: 0 = 3 8 11 5
// run: nested global=1 args: int[4] = 0
// expect: 0 = 24 111 3
typedef int (^binary)(int, int);
typedef struct { int a, b; long c[3]; } S;

int (^square)(int) = ^(int x) { return x * x; };
static int (^const both)(int) = ^(int x) { return square(x) - x; };

kernel void direct(global int *g)
{
    int two = 2;
    g[0] = ^(int a) { return a * two; }(3);
    binary add = ^(int a, int b) { return a + b; }, same = add;
    g[1] = same(1, 3);
    g[2] = square(5);
    g[3] = both(3) + (g[2], ^{ return 1; })();
    static int (^const kept)(void) = ^{ return 9; };
    g[4] = kept();
    g[5] = ((binary)add)(1, two);
}

int fold(global int *g, int n, int start, binary f)
{
    int s = start;
    for (int i = 0; i < n; i++)
        s = f(s, g[i]);
    return s;
}

int either(int which, binary f, binary h) { return which ? f(3, 4) : h(3, 4); }
int pass(int which, binary f, binary h) { return either(which, h, f); }

kernel void parameters(global int *g)
{
    int sum = fold(g, 12, 0, ^(int a, int b) { return a + b; });
    int most = fold(g, 12, -1, ^(int a, int b) { return max(a, b); });
    int limit = 6;
    int few = fold(g, 12, 0, ^(int a, int b) { return b < limit ? a + 1 : a; });
    binary times = ^(int a, int b) { return a * b; }, plus = ^(int a, int b) { return a + b; };
    g[0] = sum;
    g[1] = fold(g, 12, sum - 66, ^(int a, int b) { return b == 66 ? a : a + b; });
    g[2] = most;
    g[3] = few;
    g[4] = pass(0, plus, times) + pass(1, times, plus) - 7;
    g[5] = 4 * either(1, times, plus);
    g[6] = either(0, times, plus);
    g[7] = either(0, times, ^(int a, int b) { return few - 1; });
}

kernel void structs(global int *g)
{
    S s = {1, 2, {3, 4, 5}};
    S (^change)(S, int) = ^(S x, int by) { x.a += by; x.c[2] = s.c[1] + by; return x; };
    S t = change(s, 2);
    g[0] = t.a;
    g[1] = change(t, 5).a;
    g[2] = change(t, 7).c[2];
    s.b = change(s, 0).c[0] + 2;
    g[3] = s.b;
}

void repeat(int n, void (^body)(int)) { for (int i = 0; i < n; i++) body(i); }

kernel void nested(global int *g)
{
    // A function that is given a block is called again by the block.
    repeat(2, ^(int i) { repeat(3, ^(int j) { repeat(4, ^(int k) { g[0]++; }); }); });
    void (^counting)(void (^)(int)) = ^(void (^body)(int)) { body(1); body(10); body(100); };
    counting(^(int x) { g[1] += x; });
    repeat(3, ^(int i) { g[2] += 1; });
}
