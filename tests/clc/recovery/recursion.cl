int f(int x) { return f(x - 1); } // error: recursion is not supported: 'f' calls itself
kernel void k(global int *g) { g[0] = f(1); }
