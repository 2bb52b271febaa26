// Statement 67 of the founding documents: static inside a function: global or constant, default global (2.0).
// options: -cl-std=CL2.0
// run: k global=4 local=2 args: int[1] = 0
// expect: 0 = 1
// then: k global=4 local=2 args: int[1] = 0
// expect: 0 = 2
// then: k global=4 local=2 args: int[1] = 0
// expect: 0 = 3
kernel void k(global int *g) { static int n; if (get_global_id(0) == 0) { n++; g[0] = n; } }
