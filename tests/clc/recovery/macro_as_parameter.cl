#define N 10
int f(int N) { return N; } // error: expected ')' before '10'
kernel void k(global int *g) { g[0] = f(1); }
