// options: -cl-std=CL2.0
// static inside a function: global or constant, default global (2.0). Expect: each enqueue raises g[0] by one.
kernel void k(global int *g) { static int n; if (get_global_id(0) == 0) { n++; g[0] = n; } }
