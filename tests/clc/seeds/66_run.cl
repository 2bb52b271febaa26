// options: -cl-std=CL2.0
// Program-scope variables: 2.0 allows global or constant, default global, zero-initialized. Expect: with one work-item: first run g[0]==2, second run 7; values persist between kernels.
int a;
global int b = 2;
kernel void k(global int *g) { g[0] = a + b; a = 5; }
