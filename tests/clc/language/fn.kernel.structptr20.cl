// options: -cl-std=CL2.0
// shared virtual memory made pointers in structures that are passed by value useful: 2.0 has no such restriction
typedef struct { global int *p; struct { float *q; constant int *c[2]; } inner; int n; } S;
kernel void k(S s, global int *o) { *o = s.p[s.n] + s.inner.c[1][0]; }
