// options: -cl-std=CL1.2
// typedef supported
typedef struct { int a; } S; typedef global S *P; typedef int V[4]; kernel void k(P p){ V v={1,2}; p->a=v[1]; }
