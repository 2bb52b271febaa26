// options: -cl-std=CL2.0
// Constant variables are readable by every work-item and every kernel of the program. Expect: k1: g[i]==t[i%3].
constant int t[3] = { 4, 5, 6 };
kernel void k1(global int *g) { g[get_global_id(0)] = t[get_global_id(0) % 3]; }
kernel void k2(global int *g) { g[0] += t[2]; }
