// Statement 66 of the founding documents: Program-scope variables: 2.0 allows global or constant, default global, zero-initialized.
// options: -cl-std=CL2.0
// run: k args: int[1] = 0
// expect: 0 = 2
// then: k args: int[1] = 0
// expect: 0 = 7
int a;
global int b = 2;
kernel void k(global int *g) { g[0] = a + b; a = 5; }
