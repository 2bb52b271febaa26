// options: -cl-std=CL2.0
// `global int *p;` inside a function: p itself private, pointee global.
kernel void k(global int *g) { global int *p; p = g; private int * private q; int v; q = &v; *q = 1; p[0] = *q; }
