// options: -cl-std=CL2.0
// blocks cannot be function results (nor parameters per restriction text)
kernel void k(void){ void (^b)(void)=^{}; b(); }
typedef int (^binary)(int, int);
int fold(global int *g, int n, binary f) { int s = 0; for (int i = 0; i < n; i++) s = f(s, g[i]); return s; }
void twice(void (^)(void));
kernel void sum(global int *g, int n) {
    g[0] = fold(g, n, ^(int a, int b) { return a + b; });
    ^(void (^f)(void)) { f(); f(); }(^{ g[1]++; });
}
