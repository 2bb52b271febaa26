// options: -cl-std=CL2.0
// Pointer sizes per space need not match: never fold sizeof(global int*) == sizeof(local int*) in the language (a CPU may use one size).
kernel void k(global int *g) { g[0] = sizeof(global int *); g[1] = sizeof(local int *); g[2] = sizeof(constant int *); g[3] = sizeof(int *); }
