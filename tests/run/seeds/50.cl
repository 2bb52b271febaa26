// Statement 50 of the founding documents: Constant variables are readable by every work-item and every kernel of the program.
// options: -cl-std=CL2.0
// run: k1 global=6 local=2 args: int[6] = 0 ...
// expect: 0 = 4 5 6 4 5 6
// then: k2 args: int[6] = 0 ...
// expect: 0 = 10 5 6 4 5 6
constant int t[3] = { 4, 5, 6 };
kernel void k1(global int *g) { g[get_global_id(0)] = t[get_global_id(0) % 3]; }
kernel void k2(global int *g) { g[0] += t[2]; }
